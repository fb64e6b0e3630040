import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../base/sha256.ts';
import { deriveSpanId, deriveTraceId, formatTraceparent, parseTraceparent } from './trace-context.ts';

describe('sha256', () => {
  it('returns what node:crypto returns, for every text', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 150 }), ascii => {
        const text = `${ascii}é😀`;
        expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });
});

describe('the ids of a trace', () => {
  it('are the digits of a run id that is a UUID, else a hash of it', () => {
    expect(deriveTraceId('019a8f2c-1111-7abc-8def-0123456789ab')).toBe('019a8f2c11117abc8def0123456789ab');
    expect(deriveTraceId('run-1')).toMatch(/^[\da-f]{32}$/);
    expect(deriveTraceId('00000000-0000-0000-0000-000000000000')).not.toMatch(/^0+$/);
  });

  it('differ for each run and each part of it', () => {
    const ids = [deriveSpanId('a'), deriveSpanId('b'), deriveSpanId('a', 'tool/1'), deriveSpanId('a', 'call/1')];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{16}$/);
  });
});

describe('a traceparent', () => {
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const spanId = '00f067aa0ba902b7';

  it('is read and written', () => {
    expect(parseTraceparent(`00-${traceId}-${spanId}-01`)).toEqual({ traceId, parentSpanId: spanId });
    expect(parseTraceparent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, parentSpanId: spanId, sampled: false });
    expect(formatTraceparent({ traceId, spanId })).toBe(`00-${traceId}-${spanId}-01`);
  });

  it('of a later version is read as far as it is known', () => {
    expect(parseTraceparent(`01-${traceId}-${spanId}-01-later`)).toEqual({ traceId, parentSpanId: spanId });
  });

  it.each([
    undefined,
    '',
    'nonsense',
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01-later`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
  ])('that is invalid is ignored: %s', header => {
    expect(parseTraceparent(header)).toBeUndefined();
  });
});
