import type { LoggedEvent } from '../../events/vocabulary.ts';

/** Longer pauses are played as this one, in milliseconds. */
const longestPause = 3_000;

/** When what is at a seq happened: by the clock, and in a playback without long pauses. */
export class PlaybackTimes {
  readonly #at = new Map<number, { readonly ts: string; readonly offset: number }>();

  constructor(events: readonly LoggedEvent[]) {
    let [offset, before] = [0, Number.NaN];
    for (const { seq, ts } of events) {
      const now = Date.parse(ts);
      if (now > before) offset += Math.min(now - before, longestPause);
      if (!(now <= before)) before = now;
      this.#at.set(seq, { ts, offset });
    }
  }

  timeOf(part: { readonly seq?: number } | undefined): string | undefined {
    return this.#at.get(part?.seq ?? -1)?.ts;
  }

  offsetOf(part: { readonly seq?: number } | undefined): number | undefined {
    return this.#at.get(part?.seq ?? -1)?.offset;
  }
}
