import { type AgentEvent, type LoggedEvent, parseEvent, SingletreeError } from '../events/index.ts';

/** Copies made here that nobody else holds: what is known to be an event is not checked again. */
const known = new WeakSet<AgentEvent>();

/** The event as JSON holds it, in a copy; throws `invalid_event` when that is not an event. */
export function plainEvent(event: AgentEvent): AgentEvent {
  return keep(eventIn(jsonText(event)));
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
  const fields = event as unknown as Record<string, unknown>;
  const isPlain =
    Object.getPrototypeOf(event) === Object.prototype &&
    typeof fields[fragment] === 'string' &&
    typeof fields['runId'] === 'string' &&
    typeof fields['id'] === 'string' &&
    Object.keys(fields).every(key => {
      const value = fields[key];
      return key === fragment || (plainFields.has(key) && typeof value === 'string' && value !== '');
    });
  return isPlain ? keep({ ...event }) : plainEvent(event);
}

/** A fragment with another text in the place of its own. */
export function withFragment(event: AgentEvent, fragment: string, text: string): AgentEvent {
  return keep({ ...event, [fragment]: text });
}

function keep(event: AgentEvent): AgentEvent {
  known.add(event);
  return event;
}

function eventIn(text: string | undefined): AgentEvent {
  return parseEvent(text === undefined ? undefined : JSON.parse(text));
}

function jsonText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SingletreeError('invalid_event', `The event cannot be written as JSON: ${String(cause)}.`, { cause });
  }
}

/** The text each event is stored as, with `seq` from `firstSeq` on and `ts` filled in; throws `invalid_event`. */
export function encodeEvents(events: readonly AgentEvent[], firstSeq: number, now: () => number): string[] {
  let stamp: string | undefined;
  return events.map((event, index) => {
    const text = jsonText(event);
    const plain = known.has(event) ? event : eventIn(text);
    const seq = firstSeq + index;
    const ts = plain.ts ?? (stamp ??= new Date(now()).toISOString());
    // What is only to be added needs no second pass over the event.
    if (text !== undefined && plain.seq === undefined && plain.ts === undefined)
      return `${text.slice(0, -1)},"seq":${seq},"ts":"${ts}"}`;
    return JSON.stringify({ ...plain, seq, ts });
  });
}

/** The event a stored text stands for. It was validated when it was stored. */
export function decodeEvent(body: string): LoggedEvent {
  return JSON.parse(body) as LoggedEvent;
}
