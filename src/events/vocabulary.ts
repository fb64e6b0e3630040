import { usage } from './accounting.ts';
import { reasoning, text, user } from './content.ts';
import {
  abortRequested,
  branchSelected,
  collapsed,
  folderChanged,
  modeChanged,
  modelChanged,
  runRequested,
  steerRequested,
} from './control.ts';
import type { EventDefinition } from './define.ts';
import type { EventsByType } from './event-types.ts';
import { custom, error, fileRegistered, unknown, warning } from './facts.ts';
import { harnessEnd, harnessStart, session, stepStart } from './lifecycle.ts';
import { summary } from './memory.ts';
import { modelContext } from './model-context.ts';
import { grantRevoked, relay, relayResolved } from './people.ts';
import { planStatus, tasks } from './plans.ts';
import { messageChanged, messageQueued, messageWithdrawn } from './queue.ts';
import { replInput, replOutput, replProgress } from './repl.ts';
import { toolCall, toolInputDelta, toolProgress, toolResult, toolStart } from './tools.ts';

/** Every event definition, in the order of the reference page. */
export const vocabulary = [
  harnessStart,
  harnessEnd,
  modelContext,
  stepStart,
  session,
  user,
  text,
  reasoning,
  toolInputDelta,
  toolCall,
  toolStart,
  toolProgress,
  toolResult,
  replInput,
  replProgress,
  replOutput,
  relay,
  relayResolved,
  grantRevoked,
  planStatus,
  tasks,
  summary,
  usage,
  error,
  warning,
  fileRegistered,
  unknown,
  custom,
  modeChanged,
  modelChanged,
  folderChanged,
  branchSelected,
  collapsed,
  runRequested,
  abortRequested,
  messageQueued,
  messageChanged,
  messageWithdrawn,
  steerRequested,
] as const;

/**
 * One immutable fact. At run time an event may have a type unknown to this version: it passes through every store and
 * stream unchanged, and consumers ignore it (`isKnownEvent`).
 */
export type AgentEvent = EventsByType[EventType];

export type EventType = keyof EventsByType;

/** The event of one type. */
export type EventOf<Type extends EventType> = EventsByType[Type];

/** An event in the log: with its position in the thread and its time. */
export type LoggedEvent = AgentEvent & { readonly seq: number; readonly ts: string };

/** One function for each event type; adding an event breaks the build wherever it is not handled. */
export type Handlers<Arguments extends unknown[], Result> = {
  readonly [Type in EventType]: (event: EventOf<Type>, ...rest: Arguments) => Result;
};

const byType: ReadonlyMap<string, EventDefinition> = indexByType(vocabulary);

/** Returns the definition of an event type, or undefined when the type is unknown. */
export function getDefinition(type: string): EventDefinition | undefined {
  return byType.get(type);
}

/** Whether the event's type is one of this version. */
export function isKnownEvent(event: { readonly type: string }): event is AgentEvent {
  return byType.has(event.type);
}

function indexByType(definitions: readonly EventDefinition[]): Map<string, EventDefinition> {
  const index = new Map<string, EventDefinition>();
  for (const definition of definitions) {
    if (index.has(definition.type)) throw new Error(`the event type "${definition.type}" is defined twice`);
    index.set(definition.type, definition);
  }
  return index;
}
