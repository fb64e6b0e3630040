import { type AgentEvent, type LoggedEvent, newId } from '../../events/index.ts';
import { encodeEvents } from '../encode.ts';
import type { Stored } from '../live-tails.ts';
import { messageMarks } from './message-marks.ts';

/** Stands for the seq in the text of an event that has none yet; JSON never has this character. */
const seqMark = '\u0002';
/** Numbers that no seq reaches. */
const highestSeq = 9 * 10 ** 15;
const step = 10 ** 9;

export interface PreparedAppend {
  /** Identifies the append: the database recognises it when it is repeated. */
  readonly id: string;
  readonly events: readonly LoggedEvent[];
  /** The texts to store, with a mark in the place of the seq. */
  readonly texts: readonly string[];
  /** What the events say of messages, as JSON. */
  readonly messages: string | null;
}

/** Makes events ready to be appended before their seq is known; throws `invalid_event` and `event_too_large`. */
export function prepareAppend(
  events: readonly AgentEvent[],
  { now, maxEventBytes }: { readonly now: () => number; readonly maxEventBytes: number },
): PreparedAppend {
  // A seq has up to 16 digits.
  const encoding = { now, maxEventBytes: maxEventBytes + 16 };
  for (let firstSeq = highestSeq; ; firstSeq -= step) {
    const { events: logged, bodies } = encodeEvents(events, { ...encoding, firstSeq });
    const texts = bodies.map((body, index) => markSeq(body, firstSeq + index));
    if (texts.every(text => text !== undefined))
      return { id: newId(), events: logged, texts, messages: messageMarks(logged) };
  }
}

/** The text with the mark in the place of the seq; undefined when the event has the same number in another place. */
function markSeq(body: string, seq: number): string | undefined {
  const field = `"seq":${seq}`;
  const at = body.indexOf(field);
  if (body.includes(field, at + 1)) return undefined;
  return `${body.slice(0, at)}"seq":${seqMark}${body.slice(at + field.length)}`;
}

/** The events with their seq, and the texts they are stored as. */
export function storedAppend({ events, texts }: PreparedAppend, firstSeq: number): Stored {
  for (const [index, event] of events.entries()) Object.assign(event, { seq: firstSeq + index });
  return { events, bodies: texts.map((text, index) => text.replace(seqMark, String(firstSeq + index))) };
}
