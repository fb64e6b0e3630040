import type { LoggedEvent } from '../../events/vocabulary.ts';

/** After how many events, and after how many characters of them, the next outline is stored. */
export const outlineEvents = 512;
export const outlineLength = 512 * 1024;

/** Decides after which events of a thread an outline is stored, beginning with an event that has one. */
export class OutlinePlaces {
  readonly #openTexts = new Set<string>();
  #eventsLeft = outlineEvents;
  #lengthLeft = outlineLength;

  /**
   * Takes in the next event, with the length of its stored text; returns whether an outline is stored after it. That is
   * where no text is open; when waiting for that takes too long, all texts end there, unless `isFinal` is false: then
   * somebody else has read on already.
   */
  take({ type, runId }: LoggedEvent, length: number, isFinal: boolean = true): boolean {
    if (type === 'text') this.#openTexts.add(runId);
    else this.#openTexts.delete(runId);
    this.#eventsLeft--;
    this.#lengthLeft -= length;
    if (this.#eventsLeft > 0 && this.#lengthLeft > 0) return false;
    const isLate = this.#eventsLeft <= -outlineEvents || this.#lengthLeft <= -outlineLength;
    if (this.#openTexts.size > 0 && !(isLate && isFinal)) return false;
    this.#openTexts.clear();
    this.#eventsLeft = outlineEvents;
    this.#lengthLeft = outlineLength;
    return true;
  }
}
