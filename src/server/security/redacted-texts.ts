import type { Redactor } from '../../agents/redaction/redactor.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { RedactedEvents } from '../../agents/redaction/redacted-events.ts';

/** The JSON text of an event. */
export interface EventText {
  readonly seq: number;
  readonly text: string;
}

/**
 * The JSON texts of a thread's events without secrets, as `RedactedEvents` finds them. A text that has none is passed on
 * as it is stored; without secrets to look for it is not even parsed.
 */
export class RedactedTexts {
  readonly #redactor: Redactor;
  readonly #events: RedactedEvents;
  readonly #texts = new WeakMap<LoggedEvent, string>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
    this.#events = new RedactedEvents(redactor);
  }

  /** Returns the texts after a seq. It is returned at once when nothing before them matters. */
  static after(
    { log, redactor }: { readonly log: EventLog; readonly redactor: Redactor },
    threadId: string,
    seq: number,
  ): RedactedTexts | Promise<RedactedTexts> {
    const texts = new RedactedTexts(redactor);
    const limit = Math.min(seq, texts.#events.lookBehind);
    if (limit === 0) return texts;
    return log.read(threadId, { after: seq - limit, limit }).then(before => {
      texts.#events.prime(before);
      return texts;
    });
  }

  /** Takes the next event; returns the texts that can be shown now, in order. */
  push({ seq, text }: EventText, event?: LoggedEvent): EventText[] {
    if (this.#redactor.isEmpty) return [{ seq, text }];
    // It was validated when it was stored.
    const parsed = event ?? (JSON.parse(text) as LoggedEvent);
    this.#texts.set(parsed, text);
    return this.#events.push(parsed).map(shown => this.#toEventText(shown));
  }

  /** Returns the texts that were held back. */
  end(): EventText[] {
    return this.#events.end().map(shown => this.#toEventText(shown));
  }

  #toEventText(event: LoggedEvent): EventText {
    const text = this.#texts.get(event) ?? JSON.stringify(event);
    return { seq: event.seq, text: this.#redactor.json(text) };
  }
}
