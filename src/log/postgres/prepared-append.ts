import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { newId } from '../../events/ids.ts';
import { decodeEvent, type Encoded, type Encoding, encodeEvents } from '../encode.ts';
import { setTimes } from '../event-time.ts';
import type { Stored } from '../live-tails.ts';
import { type OpenChanges, openChanges } from '../open-things.ts';

/** The placeholder for the seq in the text of an event; JSON never contains this character. */
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
  /** The things that the events open and close, with seqs that count from `base`. */
  readonly open: OpenChanges | undefined;
  readonly base: number;
}

/** Makes events ready to be appended before their seq is known; throws `invalid_event` and `event_too_large`. */
export function prepareAppend(events: readonly AgentEvent[], encoding: Omit<Encoding, 'firstSeq'>): PreparedAppend {
  // A seq has up to 16 digits.
  const maxEventBytes = encoding.maxEventBytes + 16;
  return prepared(newId(), firstSeq => encodeEvents(events, { ...encoding, maxEventBytes, firstSeq }));
}

/** The same append with no event before a time. */
export function raiseTimes({ id, texts }: PreparedAppend, newestTs: string): PreparedAppend {
  const events = texts.map(text => decodeEvent(text.replace(seqMark, '0')));
  setTimes(events, newestTs, newestTs);
  return prepared(id, firstSeq => {
    for (const [index, event] of events.entries()) Object.assign(event, { seq: firstSeq + index });
    return { events, bodies: events.map(event => JSON.stringify(event)), open: openChanges(events) };
  });
}

/** Encodes with numbers that occur nowhere else in the texts, and puts the mark in their places. */
function prepared(id: string, encode: (firstSeq: number) => Encoded): PreparedAppend {
  for (let firstSeq = highestSeq; ; firstSeq -= step) {
    const { events, bodies, open } = encode(firstSeq);
    const texts = bodies.map((body, index) => markSeq(body, firstSeq + index));
    if (texts.every(text => text !== undefined)) return { id, events, texts, open, base: firstSeq - 1 };
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

/** The times of the first and the last event, in milliseconds, and that of the last one as it is stored. */
export function toTimes({
  events,
}: PreparedAppend): [firstMs: number | null, lastMs: number | null, lastTs: string | null] {
  const [first, last] = [events[0], events.at(-1)];
  if (first === undefined || last === undefined) return [null, null, null];
  return [toMilliseconds(first.ts), toMilliseconds(last.ts), last.ts];
}

function toMilliseconds(ts: string): number | null {
  const time = Date.parse(ts);
  return Number.isNaN(time) ? null : time;
}
