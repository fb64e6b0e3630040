import { freeze } from '../base/freeze.ts';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';

/** Names the stream behind the frozen events. */
const source = Symbol('source');

interface FrozenEvents extends AsyncIterableIterator<AgentEvent> {
  readonly [source]: AsyncIterableIterator<AgentEvent>;
}

/**
 * Returns the events of a run frozen, as callers of `invoke` get them: the run still uses them, so that a change would
 * reach its model and tools. Fragments are not frozen: the run does not read them again.
 */
export function frozenEvents(events: AsyncIterableIterator<AgentEvent>): FrozenEvents {
  return {
    next: async () => {
      const next = await events.next();
      if (next.done !== true && !isFragment(next.value)) freeze(next.value);
      return next;
    },
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
    [Symbol.asyncIterator]() {
      return this;
    },
    [source]: events,
  };
}

/** Returns the events of a run as they are, for a reader that copies or forwards them and changes none. */
export function unfrozenEvents(events: AsyncIterable<AgentEvent>): AsyncIterable<AgentEvent> {
  return source in events ? (events as FrozenEvents)[source] : events;
}

/** Whether an event is a piece of a stream that its run passes on and keeps no reference to. */
export function isFragment(event: AgentEvent): event is EventOf<'text' | 'reasoning' | 'tool_input_delta'> {
  const { type } = event;
  return type === 'text' || type === 'reasoning' || type === 'tool_input_delta';
}
