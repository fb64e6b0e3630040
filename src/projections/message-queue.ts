import { defined } from '../base/defined.ts';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import type { ContentPart } from '../events/content.ts';
import type { RunAdditions } from '../events/run-additions.ts';
import type { RunTrace } from '../events/trace-context.ts';
import type { Fold } from './fold.ts';

/** A message that was accepted and is not delivered yet. */
export interface WaitingMessage {
  readonly id: string;
  readonly content: string | readonly ContentPart[];
  /** Whether it is delivered into the run, or begins a turn when the run has ended. */
  readonly delivery: 'steer' | 'follow_up';
  /** The lowest is delivered first; of equals the one that was accepted first. */
  readonly order: number;
  /** The run that it is delivered into, or whose end it waits for. */
  readonly waitsFor?: string;
  readonly by?: string;
  /** The id of the agent that answers it when it begins a turn; that of the run it waits for when absent. */
  readonly agent?: string;
  readonly model?: string;
  readonly mode?: string;
  /** Whether it was sent with a request context, which only the process that accepted it has. */
  readonly hasContext?: true;
  /** The trace of the turn that it begins, when its sender named one. */
  readonly trace?: RunTrace;
  /** The client's additions to the agent for the turn that the message begins. */
  readonly additions?: RunAdditions;
  /** When it was accepted, when that is known. */
  readonly since?: string;
}

/** The waiting messages by id, in the order in which they were accepted. */
export type MessageQueue = ReadonlyMap<string, WaitingMessage>;

/**
 * Folds the queued messages of a thread, next delivery first. A `user` event with its id delivers a message. Events up
 * to and including `after`, the last one imported or shared with the parent thread, have no effect.
 */
export function messageQueue(after = 0): Fold<MessageQueue, readonly WaitingMessage[]> {
  return {
    initial: new Map(),
    step: (queue, event) => (event.seq !== undefined && event.seq <= after ? queue : queueAfter(queue, event)),
    view: queue => [...queue.values()].toSorted((a, b) => a.order - b.order),
  };
}

function queueAfter(queue: MessageQueue, event: AgentEvent): MessageQueue {
  switch (event.type) {
    case 'message_queued':
    case 'steer_requested':
      return queue.has(event.id) ? queue : new Map(queue).set(event.id, toQueued(event));
    case 'harness_end':
      return withoutRequests(queue, event.runId);
    case 'message_changed': {
      const waiting = queue.get(event.id);
      const { content, order, delivery } = event;
      return waiting === undefined
        ? queue
        : new Map(queue).set(event.id, { ...waiting, ...defined({ content, order, delivery }) });
    }
    case 'user':
    case 'message_withdrawn': {
      if (event.id === undefined || !queue.has(event.id)) return queue;
      const left = new Map(queue);
      left.delete(event.id);
      return left;
    }
    default:
      return queue;
  }
}

/** A `steer_requested` waits as long as its run is open: nothing else ends it in older logs. */
function withoutRequests(queue: MessageQueue, runId: string): MessageQueue {
  const isEnded = ({ agent, waitsFor }: WaitingMessage) => agent === undefined && waitsFor === runId;
  const left = new Map([...queue].filter(([, message]) => !isEnded(message)));
  return left.size === queue.size ? queue : left;
}

function toQueued(event: EventOf<'message_queued'> | EventOf<'steer_requested'>): WaitingMessage {
  const { id, content, by, ts: since } = event;
  if (event.type === 'steer_requested')
    return { id, content, delivery: 'steer', order: 0, waitsFor: event.runId, ...defined({ by, since }) };
  const { delivery, order, agent, waitsFor, model, mode, hasContext, trace, additions } = event;
  const others = defined({ waitsFor, by, model, mode, hasContext, trace, additions, since });
  return { id, content, delivery, order, agent, ...others };
}
