import { getDefinition, type LoggedEvent } from '../../events/vocabulary.ts';
import type { Redactor } from './redactor.ts';
import { FragmentText } from './fragment-text.ts';

/** How many events may wait for the end of a secret. */
const mostWaiting = 256;
/** How many texts are remembered. */
const mostTexts = 1_000;

interface Entry {
  event: LoggedEvent;
  isReady: boolean;
}

interface RunText {
  readonly runId: string;
  readonly text: FragmentText;
}

/** Yields the events of a thread as `RedactedEvents` shows them. */
export async function* redactedEvents(
  events: AsyncIterable<LoggedEvent>,
  redactor: Redactor,
): AsyncGenerator<LoggedEvent> {
  const shown = new RedactedEvents(redactor);
  for await (const event of events) yield* shown.push(event);
  yield* shown.end();
}

/** Yields the events of a thread without any secret: neither split over fragments nor whole in a field. */
export async function* eventsWithoutSecrets(
  events: AsyncIterable<LoggedEvent>,
  redactor: Redactor,
): AsyncGenerator<LoggedEvent> {
  for await (const event of redactedEvents(events, redactor)) {
    const text = redactor.isEmpty ? '' : JSON.stringify(event);
    const shown = redactor.json(text);
    yield shown === text ? event : (JSON.parse(shown) as LoggedEvent);
  }
}

/**
 * The events of a thread without the secrets that are split over fragments of one text. A fragment that ends with the
 * beginning of a secret waits, and everything after it, until its text continues or its run does something else. The
 * same events give the same result, so a reader may start anywhere after `prime` has processed earlier events.
 */
export class RedactedEvents {
  readonly #redactor: Redactor;
  readonly #texts = new Map<string, RunText>();
  readonly #waiting: Entry[] = [];

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  /** The number of earlier events that `prime` needs. */
  get lookBehind(): number {
    return this.#redactor.isEmpty ? 0 : mostWaiting;
  }

  /** Processes the events before the first one to show. */
  prime(events: readonly LoggedEvent[]): void {
    for (const event of events) this.push(event);
    this.end();
  }

  /** Adds the next event; returns the events that can be shown now, in order. */
  push(event: LoggedEvent): LoggedEvent[] {
    if (this.#redactor.isEmpty) return [event];
    const entry = { event, isReady: true };
    this.#waiting.push(entry);
    const field = getDefinition(event.type)?.fragment;
    if (field === undefined) this.#closeTexts(event);
    else this.#addFragment(entry, field);
    // Show a relay immediately: a user has to answer it.
    if (event.type === 'relay' || this.#waiting.length > mostWaiting) this.#closeAll();
    return this.#takeReady();
  }

  /** Returns the pending events. */
  end(): LoggedEvent[] {
    this.#closeAll();
    return this.#takeReady();
  }

  #takeReady(): LoggedEvent[] {
    const open = this.#waiting.findIndex(({ isReady }) => !isReady);
    return this.#waiting.splice(0, open < 0 ? this.#waiting.length : open).map(({ event }) => event);
  }

  #addFragment(entry: Entry, field: string): void {
    const { event } = entry;
    const { type, runId, id, [field]: raw } = event as unknown as Record<string, unknown> & { runId: string };
    if (typeof raw !== 'string') return;
    entry.isReady = false;
    this.#getFragmentText(JSON.stringify([type, runId, id]), runId).add(raw, shown => {
      if (shown !== raw) entry.event = { ...event, [field]: shown };
      entry.isReady = true;
    });
  }

  #getFragmentText(key: string, runId: string): FragmentText {
    const known = this.#texts.get(key);
    if (known !== undefined) return known.text;
    const text = new FragmentText(this.#redactor);
    this.#texts.set(key, { runId, text });
    const [oldest] = this.#texts;
    if (this.#texts.size > mostTexts && oldest !== undefined) {
      oldest[1].text.close();
      this.#texts.delete(oldest[0]);
    }
    return text;
  }

  /** Closes the texts of a run when it emits an event that is not a fragment. */
  #closeTexts({ runId, type }: LoggedEvent): void {
    for (const [key, each] of this.#texts) {
      if (each.runId !== runId) continue;
      each.text.close();
      if (type === 'harness_end') this.#texts.delete(key);
    }
  }

  #closeAll(): void {
    for (const { text } of this.#texts.values()) text.close();
  }
}
