import { defined } from '../../base/defined.ts';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { type Conversation, createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { getRun } from '../../graph/conversation/queries.ts';
import type { Message } from '../message.ts';
import { ModelInput } from './model-input.ts';
import { RlmTranscript } from './rlm-transcript.ts';
import { RunInput } from './run-input.ts';

/** The request of a step, made again from the log. */
export interface SentRequest {
  readonly provider: string;
  readonly model?: string;
  readonly instructions?: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** The tools that were offered, with the schemas of their inputs. */
  readonly tools: readonly Readonly<Record<string, unknown>>[];
  readonly messages: readonly Message[];
}

/**
 * Returns what the model of a step was sent, or the one that made a `summary` by compaction, from the events of its
 * thread. Returns undefined for a step that names no `model_context`, as in an older log, and for one of an external
 * agent, which only reports a part of it. `history`: the messages that the agent was invoked with, when its events are
 * not those of a thread.
 */
export function projectRequest(
  events: readonly AgentEvent[],
  step: EventOf<'step_start'> | EventOf<'summary'>,
  { history }: { readonly history?: readonly Message[] } = {},
): SentRequest | undefined {
  const end = events.findIndex(event => event === step || isSame(event, step));
  const before = events.slice(0, step.type === 'step_start' ? end + 1 : end);
  const found = findContext(before, step.contextId);
  if (found === undefined || found.context.reported === true) return undefined;
  const { context, tools } = found;
  const { provider, instructions, settings } = context;
  const messages = toMessages(before, step.runId, context, history);
  return {
    provider,
    ...defined({ model: step.type === 'step_start' ? step.model : undefined, instructions }),
    tools,
    settings,
    messages:
      step.type === 'step_start'
        ? messages
        : [...messages.slice(0, step.coveredMessages), { role: 'user', content: step.asked ?? '' }],
  };
}

/** Returns what an external program reported of the model calls of a step; undefined when it reported nothing. */
export function projectReport(
  events: readonly AgentEvent[],
  { contextId, model }: EventOf<'step_start'>,
): Pick<SentRequest, 'model' | 'settings' | 'tools'> | undefined {
  const { context, tools } = findContext(events, contextId) ?? {};
  if (context?.reported !== true || tools === undefined) return undefined;
  return { ...defined({ model }), settings: context.settings, tools };
}

/** Returns a context with its tools, which an earlier one may describe. */
function findContext(events: readonly AgentEvent[], contextId: string | undefined) {
  const contexts = events.filter(event => event.type === 'model_context');
  const context = contexts.findLast(({ id }) => id === contextId);
  if (context === undefined) return undefined;
  const described = new Map<string, Readonly<Record<string, unknown>>>();
  for (const { tools } of contexts) for (const { id, tool } of tools) if (tool !== undefined) described.set(id, tool);
  return { context, tools: context.tools.map(({ id }) => described.get(id) ?? {}) };
}

/** Returns the messages that a model of a run is sent after these events. */
function toMessages(
  events: readonly AgentEvent[],
  runId: string,
  { maxOutputLength, maxShownLength, first }: EventOf<'model_context'>,
  invokedWith: readonly Message[] | undefined,
): readonly Message[] {
  const isOwn = (event: AgentEvent) => event.runId === runId;
  const begins = events.findLastIndex(event => isOwn(event) && 'messages' in event);
  const carrier = events[begins];
  const carried = carrier?.type === 'step_start' ? (carrier.messages as readonly Message[]) : undefined;
  if (carried !== undefined && begins === events.length - 1) return carried;
  const startsAt = events.findIndex(event => isOwn(event) && event.type === 'harness_start');
  const firstId = events[startsAt]?.parentId;
  const given = carried ?? invokedWith;
  const own = events.slice(Math.max(begins, 0)).filter(isOwn);
  if (maxShownLength !== undefined) {
    const history = given ?? new ModelInput().upTo(fold(events.slice(0, startsAt)), firstId ?? '');
    const transcript = new RlmTranscript({ runId, history, maxShownLength });
    for (const event of own) transcript.add(event);
    return transcript.messages();
  }
  const options = defined({ maxOutputLength, history: given ?? (first as readonly Message[] | undefined) });
  if (given === undefined) {
    const conversation = fold(events);
    return new ModelInput(options).upTo(conversation, getRun(conversation, runId)?.messageId ?? runId);
  }
  const input = new RunInput({ ...options, runId, ...defined({ firstId }) });
  for (const event of own) input.add(event);
  return input.messages();
}

function fold(events: readonly AgentEvent[]): Conversation {
  return events.reduce(reduceConversation, createConversation());
}

function isSame(event: AgentEvent, step: EventOf<'step_start'> | EventOf<'summary'>): boolean {
  if (event.type === 'summary') return step.type === 'summary' && event.id === step.id;
  if (event.type !== 'step_start' || step.type !== 'step_start') return false;
  return event.runId === step.runId && step.callId !== undefined && event.callId === step.callId;
}
