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
   * Counts the next event with the length of its stored text and returns whether an outline is stored after it. An
   * outline is stored where no text is open. After too long a wait, all texts are cut at this event instead, unless
   * `isFinal` is false: then later events were already read without that cut.
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
