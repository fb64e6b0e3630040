import { type AgentEvent, type LoggedEvent, parseEvent, SingletreeError } from '../events/index.ts';

/** The text each event is stored as, with `seq` from `firstSeq` on and `ts` filled in; throws `invalid_event`. */
export function encodeEvents(events: readonly AgentEvent[], firstSeq: number, now: () => number): string[] {
  let stamp: string | undefined;
  return events.map((event, index) => {
    parseEvent(event);
    const ts = event.ts ?? (stamp ??= new Date(now()).toISOString());
    try {
      return JSON.stringify({ ...event, seq: firstSeq + index, ts });
    } catch (cause) {
      throw new SingletreeError('invalid_event', `Event "${event.type}" cannot be written as JSON: ${String(cause)}.`, {
        details: { type: event.type },
        cause,
      });
    }
  });
}

/** The event a stored text stands for. It was validated when it was stored. */
export function decodeEvent(body: string): LoggedEvent {
  return JSON.parse(body) as LoggedEvent;
}
