import type { AgentEvent, EventOf, LoggedEvent } from '../events/vocabulary.ts';
import { parseEvent } from '../events/parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { checkEventText, writeEventText } from './event-size.ts';
import { setTimes, timeText } from './event-time.ts';
import { type OpenChanges, openChanges } from './open-things.ts';
import { PlainCopy } from './plain-copy.ts';

/** Marks lists of validated copies that no other code references: they are stored and emitted without another copy. */
const owned = Symbol('owned');

/** Transfers ownership of a list of events made with `plainEvent` and `plainFragment` to the store that appends it. */
export function giveUp(events: readonly AgentEvent[] & { [owned]?: true }): readonly AgentEvent[] {
  events[owned] = true;
  return events;
}

/** Returns private copies of events, or the list itself when it was passed to `giveUp`; throws like `plainEvent`. */
export function ownEvents(events: readonly AgentEvent[]): readonly AgentEvent[] {
  return owned in events ? events : giveUp(events.map(event => plainEvent(event).event));
}

/** The event as JSON holds it, in a copy, and about how long that is; throws `invalid_event` and `event_too_large`. */
export function plainEvent(event: AgentEvent): { readonly event: AgentEvent; readonly length: number } {
  const plain = new PlainCopy();
  const copy = plain.of(event);
  if (plain.isExact) return { event: parseEvent(copy), length: plain.length };
  const text = jsonText(event);
  return { event: eventIn(text), length: text?.length ?? 0 };
}

/** Fields that any text that is not empty fits. */
const plainFields: ReadonlySet<string> = new Set([
  'type',
  'runId',
  'parentId',
  'agentId',
  'sessionId',
  'id',
  'callId',
  'name',
]);

/** The same for a fragment, whose fields are nearly always only texts: that is seen without writing it as JSON. */
export function plainFragment(event: AgentEvent, fragment: string): AgentEvent {
  if (fragment === 'content' && isUsual(event)) {
    const { type, runId, id, content, callId } = event;
    // A place for what the log adds is made with the others: added later it takes far longer.
    return { type, runId, id, content, callId, seq: 0, ts: '' };
  }
  return isPlain(event, fragment) ? { ...event } : plainEvent(event).event;
}

/** Whether it has the fields that nearly all fragments have, and no other. */
function isUsual(event: AgentEvent): event is EventOf<'text'> & { readonly callId: string } {
  const { type, runId, id, content, callId } = event as Partial<EventOf<'text'>>;
  const isText = (value: unknown) => typeof value === 'string' && value !== '';
  if (!isText(type) || !isText(runId) || !isText(id) || !isText(callId) || typeof content !== 'string') return false;
  return Object.keys(event).length === 5 && Object.getPrototypeOf(event) === Object.prototype;
}

function isPlain(event: AgentEvent, fragment: string): boolean {
  if (Object.getPrototypeOf(event) !== Object.prototype) return false;
  const fields = event as unknown as Record<string, unknown>;
  for (const key in fields) {
    const value = fields[key];
    if (key === 'line' ? !Number.isInteger(value) || (value as number) < 1 : typeof value !== 'string') return false;
    if (key !== fragment && key !== 'line' && (value === '' || !plainFields.has(key))) return false;
  }
  return 'runId' in fields && 'id' in fields && fragment in fields;
}

function eventIn(text: string | undefined): AgentEvent {
  return parseEvent(text === undefined ? undefined : JSON.parse(text));
}

function jsonText(value: unknown): string | undefined {
  try {
    return writeEventText(() => JSON.stringify(value) as string | undefined);
  } catch (cause) {
    if (SingletreeError.is(cause)) throw cause;
    throw new SingletreeError('invalid_event', `The event cannot be written as JSON: ${String(cause)}.`, { cause });
  }
}

/** Events on their way into a store. */
export interface Encoded {
  /** The events as they are read back, with `seq` from `firstSeq` on and `ts` filled in. */
  readonly events: readonly LoggedEvent[];
  /** The text each of them is stored as. */
  readonly bodies: readonly string[];
  /** The things they open and close; undefined when there are none, as for imported events. */
  readonly open?: OpenChanges | undefined;
}

/** The settings with which a log encodes events. */
export interface Encoding {
  readonly firstSeq: number;
  readonly now: () => number;
  readonly maxEventBytes: number;
  /** The time of the thread's newest event: no event gets an earlier one. */
  readonly newestTs?: string | undefined;
  /** Whether the events are imported: they keep the times they have. */
  readonly imported?: boolean | undefined;
}

/**
 * Makes events ready to be stored; throws `invalid_event` and `event_too_large`. Does not change the passed events
 * unless their ownership was transferred with `giveUp`.
 */
export function encodeEvents(events: readonly AgentEvent[], encoding: Encoding): Encoded {
  const { firstSeq, now, maxEventBytes, newestTs, imported } = encoding;
  const isOwned = owned in events;
  const stamp = timeText(now());
  const texts = isOwned ? undefined : events.map(jsonText);
  const plain = texts === undefined ? [...events] : texts.map(eventIn);
  // Added fields need no second pass over the event.
  const isAddition = plain.map(event => !isOwned && event.seq === undefined && event.ts === undefined);
  if (imported === true) for (const event of plain) event.ts ||= stamp;
  else setTimes(plain, stamp, newestTs);
  const fragments = new FragmentTexts();
  const bodies = plain.map((event, index) => {
    const isShort = isOwned && event.seq === 0;
    event.seq = firstSeq + index;
    const text = isAddition[index] === true ? texts?.[index] : undefined;
    const body = writeEventText(() => {
      if (text !== undefined) return `${text.slice(0, -1)},"seq":${event.seq},"ts":"${event.ts}"}`;
      return isShort ? fragments.getText(event as EventOf<'text'>) : JSON.stringify(event);
    });
    checkEventText(body, maxEventBytes, `The event "${event.type}"`);
    return body;
  });
  const stored = plain as LoggedEvent[];
  return { events: stored, bodies, open: imported === true ? undefined : openChanges(stored) };
}

/** Writes fragments that have only the usual fields as JSON does; what those of a stream have in common is written once. */
class FragmentTexts {
  #last: EventOf<'text'> | undefined;
  #beginning = '';
  #end = '';

  getText(event: EventOf<'text'>): string {
    const { type, runId, id, content, callId, seq, ts } = event;
    const last = this.#last;
    if (last === undefined || last.type !== type || last.runId !== runId || last.id !== id)
      this.#beginning = `${JSON.stringify({ type, runId, id }).slice(0, -1)},"content":`;
    if (last?.callId !== callId) this.#end = `,${JSON.stringify({ callId }).slice(1, -1)},"seq":`;
    this.#last = event;
    return `${this.#beginning}${JSON.stringify(content)}${this.#end}${seq},"ts":"${ts}"}`;
  }
}

/** Returns the event of a stored text, which was validated when it was stored. */
export function decodeEvent(body: string): LoggedEvent {
  return JSON.parse(body) as LoggedEvent;
}
