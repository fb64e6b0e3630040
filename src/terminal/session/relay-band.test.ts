import { describe, expect, it } from 'vitest';
import type { RelayEntry } from '../../projections/index.ts';
import { enterBand, followingBand, isDestructive, leaveBand, nextBand, takesKeys } from './relay-band.ts';

const entry = (id: string, command = 'ls'): RelayEntry => ({
  id,
  runId: 'r',
  status: 'pending',
  relay: {
    type: 'relay',
    runId: 'r',
    id,
    relayKind: 'permission',
    toolCallId: id,
    tool: 'bash',
    params: { command },
    command,
  },
});
const quiet = { now: 10_000, hasDraft: false, lastKeyAt: 0 };

describe('the band of what waits', () => {
  it('takes keys half a second after it appeared, when nobody used the keyboard', () => {
    const band = nextBand(undefined, [entry('a')], quiet) ?? expect.fail();
    expect([takesKeys(band, 10_400), takesKeys(band, 10_500)]).toEqual([false, true]);
  });

  it('stays passive with a draft, and after a key in the last second, until the person goes to it', () => {
    for (const situation of [
      { ...quiet, hasDraft: true },
      { ...quiet, lastKeyAt: 9_500 },
    ]) {
      const band = nextBand(undefined, [entry('a')], situation) ?? expect.fail();
      expect(takesKeys(band, 60_000)).toBe(false);
      expect(takesKeys(enterBand(band, entry('a')), 10_000)).toBe(true);
    }
  });

  it('stays with its relay until that is answered, and waits when it is left', () => {
    const band = nextBand(undefined, [entry('a'), entry('b')], quiet) ?? expect.fail();
    expect(nextBand(band, [entry('a'), entry('b')], quiet)).toBe(band);
    expect(nextBand(band, [entry('b')], quiet)?.relayId).toBe('b');
    expect(takesKeys(leaveBand(band), 60_000)).toBe(false);
    expect(followingBand(band, [entry('a'), entry('b')], 0).relayId).toBe('b');
  });

  it.each([
    ['rm -rf build', true],
    ['git push --force', true],
    ['sudo ls', true],
    ['echo x > file', true],
    ['npm test', false],
    ['git status', false],
  ])('knows whether %j may destroy something', (command, expected) => {
    expect(isDestructive(entry('a', command))).toBe(expected);
  });
});
