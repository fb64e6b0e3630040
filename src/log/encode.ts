import { type AgentEvent, type LoggedEvent, parseEvent, SingletreeError } from '../events/index.ts';

/** The event as JSON holds it, in a copy; throws `invalid_event` when that is not an event. */
export function plainEvent(event: AgentEvent): AgentEvent {
  return eventIn(jsonText(event));
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
    const plain = eventIn(text);
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
