import { describe, expect, it } from 'vitest';
import { eventAt, buildTrack } from './playback-track.ts';

const at = (...seconds: (number | undefined)[]) =>
  buildTrack(
    seconds.map((second, index) => ({
      type: 'text' as const,
      runId: 'r',
      id: 't',
      content: '',
      seq: index + 1,
      ...(second !== undefined && { ts: new Date(second * 1000).toISOString() }),
    })),
  );

describe('the track of a playback', () => {
  it('has the time of each event, and shortens idle time', () => {
    const { real, busy } = at(10, 11, 71, 72);
    expect([...real]).toEqual([0, 1000, 61_000, 62_000]);
    expect([...busy]).toEqual([0, 1000, 2500, 3500]);
  });

  it('never goes back, also when times are missing or wrong', () => {
    expect([...at(10, undefined, 12, 11, 13).real]).toEqual([0, 0, 2000, 2000, 3000]);
  });

  it('finds the last event up to a time', () => {
    const { real } = at(0, 1, 1, 3);
    expect([-5, 0, 999, 1000, 2000, 3000, 9000].map(time => eventAt(real, time))).toEqual([0, 0, 0, 2, 2, 3, 3]);
  });
});
