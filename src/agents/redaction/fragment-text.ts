import type { Redactor } from './redactor.ts';

/** Receives the redacted text of a fragment once it is known. */
export type ShowFragment = (text: string) => void;

interface Piece {
  readonly raw: string;
  readonly show: ShowFragment;
}

/** How much shown text is kept for matching, in characters: it may contain the beginning of a secret. */
const shortestMemory = 16;
const longestMemory = 4_096;

/**
 * Redacts a text that arrives in fragments. Secrets of the whole text are removed from each fragment; a fragment that
 * ends with the beginning of a secret is shown when the text continues or is closed.
 */
export class FragmentText {
  readonly #redactor: Redactor;
  /** The end of the text that was shown, unredacted. */
  #before = '';
  #pieces: Piece[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  add(raw: string, show: ShowFragment): void {
    this.#pieces.push({ raw, show });
    this.#showDecided(false);
  }

  /** Shows the pending fragments. The text may still continue: the remainder of a split secret stays redacted. */
  close(): void {
    if (this.#pieces.length > 0) this.#showDecided(true);
  }

  #showDecided(isClosed: boolean): void {
    const text = this.#before + this.#pieces.map(({ raw }) => raw).join('');
    const { found, openAt } = this.#redactor.scan(text);
    let [count, end] = this.#decided(isClosed ? text.length : openAt);
    // A secret is shown with all its pieces, or waits with all of them.
    for (let split = splitAt(found, end); split !== undefined && count > 0; split = splitAt(found, end))
      [count, end] = this.#decided(split);
    let start = this.#before.length;
    for (const { raw, show } of this.#pieces.splice(0, count)) {
      show(this.#shown(text, [start, start + raw.length], found));
      start += raw.length;
    }
    const lastFound = found.findLast(range => range[1] <= end)?.[1] ?? 0;
    const from = Math.max(lastFound, end - longestMemory, Math.min(openAt, end - shortestMemory));
    this.#before = text.slice(from, end);
  }

  /** How many pieces end before a place, and where the last of them ends. */
  #decided(openAt: number): [count: number, end: number] {
    let [count, end] = [0, this.#before.length];
    for (const { raw } of this.#pieces) {
      if (end + raw.length > openAt) break;
      count++;
      end += raw.length;
    }
    return [count, end];
  }

  /** A part of the text with a mark where a secret begins, or where the part of it begins that was not shown. */
  #shown(text: string, [start, end]: Range, found: readonly Range[]): string {
    let shown = '';
    let at = start;
    for (const [from, to] of found) {
      if (to <= start || from >= end) continue;
      shown += text.slice(at, Math.max(at, from));
      if (Math.max(from, this.#before.length) >= start) shown += this.#redactor.mark;
      at = Math.min(to, end);
    }
    return shown + text.slice(at, end);
  }
}

type Range = readonly [start: number, end: number];

/** Returns the start of a secret that spans the given position. */
function splitAt(found: readonly Range[], place: number): number | undefined {
  return found.find(([start, end]) => start < place && place < end)?.[0];
}
