import { describe, expect, it } from 'vitest';
import { createIds, newId } from './ids.ts';

const fixed = (now: () => number) => createIds({ now, random: bytes => void bytes.fill(0xab) });

describe('ids', () => {
  it('are uuids of version 7 that carry the time', () => {
    expect(fixed(() => 0x0123456789ab)()).toBe('01234567-89ab-755d-abab-abababababab');
    expect(newId()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });

  it('are the same for the same clock and randomness', () => {
    expect(fixed(() => 5)()).toBe(fixed(() => 5)());
  });

  it('rise in text order, also within a millisecond and when the clock goes back', () => {
    let calls = 0;
    const next = fixed(() => (calls++ < 5000 ? 1000 : 10));
    const ids = Array.from({ length: 10_000 }, next);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });
});
