import type { AgentEvent } from '../../../src/events/vocabulary.ts';

/** The times of a playback, in milliseconds from its beginning: for each event, with idle time and without. */
export interface PlaybackTrack {
  readonly firstSeq: number;
  readonly real: Float64Array;
  readonly busy: Float64Array;
}

/** Pauses longer than this are idle time, which is played as this long. */
const longestPause = 1500;

/** Returns the times of events, never decreasing; an event without a time has the time of the previous one. */
export function buildTrack(events: readonly AgentEvent[]): PlaybackTrack {
  const real = new Float64Array(events.length);
  const busy = new Float64Array(events.length);
  const start = Date.parse(events[0]?.ts ?? '') || 0;
  for (const [index, { ts }] of events.entries()) {
    const [before, short] = index === 0 ? [0, 0] : [real[index - 1] ?? 0, busy[index - 1] ?? 0];
    const at = Math.max(before, (Date.parse(ts ?? '') || start + before) - start);
    real[index] = at;
    busy[index] = short + Math.min(longestPause, at - before);
  }
  return { firstSeq: events[0]?.seq ?? 1, real, busy };
}

/** The index of the last event up to a time; 0 before the first. */
export function eventAt(times: Float64Array, time: number): number {
  let [low, high] = [0, times.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle - 1;
  }
  return low;
}
