import { describe, expect, it } from 'vitest';
import { retryAfter } from './failure.ts';

describe('retryAfter', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');

  it.each([
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after-ms': '250', 'retry-after': '3' }, 250],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:10 GMT' }, 10_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 23:59:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '' }, undefined],
    [{}, undefined],
  ])('reads %j', (headers, ms) => {
    expect(retryAfter(headers as Record<string, string>, now)).toBe(ms);
  });
});
