import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Memory } from './memory.ts';
import type { SummaryEvent } from '../contract/memory.ts';
import { toChunks, chunksToActivate, nextToObserve, sumTokens, type WeighedSpan } from './observation-plan.ts';

const limits = new Memory({ observation: { threshold: 1_000, batchTokens: 300 } }).observation;
const spansOf = (...tokens: number[]): WeighedSpan[] =>
  tokens.map((count, index) => ({ name: `s${index}`, tokens: count, group: 0 }));
const summaryOf = (from: number, to: number): SummaryEvent => ({
  type: 'summary',
  runId: 'observer',
  id: `b${from}`,
  covers: { from: `s${from}`, to: `s${to}` },
  text: 'Notes.',
  kind: 'observation',
  active: false,
});

const of = (buffered: readonly SummaryEvent[]) => (from: string) =>
  buffered.filter(({ covers }) => covers.from === from);

describe('buffered observations', () => {
  it('take effect from the first span on, without a gap', () => {
    const spans = spansOf(100, 100, 100, 100);
    expect(toChunks(spans, of([summaryOf(2, 3), summaryOf(0, 1)])).map(({ end }) => end)).toEqual([2, 4]);
    expect(toChunks(spans, of([summaryOf(1, 3)]))).toEqual([]);
    expect(toChunks(spans, of([summaryOf(0, 9)]))).toEqual([]);
  });

  it('take effect at the threshold, and leave the newest messages', () => {
    const spans = spansOf(...Array.from({ length: 10 }, () => 100));
    const chunks = toChunks(spans, of([summaryOf(0, 3), summaryOf(4, 6), summaryOf(7, 9)]));
    expect(chunksToActivate(spans, chunks, limits).map(({ end }) => end)).toEqual([4, 7]);
    expect(chunksToActivate(spans.slice(1), chunks, limits)).toEqual([]);
  });

  it('take effect to the end when what is left is above the threshold', () => {
    const spans = spansOf(100, 5_000);
    expect(chunksToActivate(spans, toChunks(spans, of([summaryOf(0, 0), summaryOf(1, 1)])), limits)).toHaveLength(2);
  });
});

describe('the next spans to observe', () => {
  const next = (spans: readonly WeighedSpan[], start: number, isUrgent = false) =>
    nextToObserve(spans, start, { limits, isUrgent });

  it('are due after a part of the threshold, and fill a batch at most', () => {
    expect(next(spansOf(100, 99), 0)).toBe(undefined);
    expect(next(spansOf(100, 100), 0)).toEqual({ start: 0, end: 2 });
    expect(next(spansOf(200, 100, 1), 0)).toEqual({ start: 0, end: 2 });
    expect(next(spansOf(100, 9_000, 50), 1)).toEqual({ start: 1, end: 2 });
  });

  it('are of one group', () => {
    const spans = [...spansOf(100), { name: 'run', tokens: 150, group: 1 }];
    expect(next(spans, 0)).toEqual({ start: 0, end: 1 });
  });

  it('leave the newest messages out when a run waits, unless they are above the threshold', () => {
    expect(next(spansOf(900, 100, 100, 100), 0, true)).toEqual({ start: 0, end: 1 });
    expect(next(spansOf(150, 100), 0, true)).toBe(undefined);
    expect(next(spansOf(5_000), 0, true)).toEqual({ start: 0, end: 1 });
  });

  it('bring any messages below the threshold when they are observed and activated one after another', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 4_000 }), { minLength: 1, maxLength: 40 }), tokens => {
        let spans = spansOf(...tokens);
        const buffered: SummaryEvent[] = [];
        for (let rounds = 0; sumTokens(spans) >= limits.threshold * limits.blockAfter; rounds++) {
          expect(rounds).toBeLessThan(200);
          const chunks = toChunks(spans, of(buffered));
          const active = chunksToActivate(spans, chunks, limits);
          if (active.length > 0) spans = spans.slice(active.at(-1)?.end);
          else {
            const found = next(spans, chunks.at(-1)?.end ?? 0, true);
            expect(found).toBeDefined();
            const [first, last] = [spans[found?.start ?? 0], spans[(found?.end ?? 0) - 1]];
            buffered.push({ ...summaryOf(0, 0), covers: { from: first?.name ?? '', to: last?.name ?? '' } });
          }
        }
      }),
    );
  });
});
