import { type AgentEvent, type EventOf, type EventType, isKnownEvent } from './vocabulary.ts';

/**
 * How each event changes the structure of a conversation: its messages, runs, attempts, blocks and calls. The conversation
 * applies it to everything, the outline of a thread to what is open; neither decides by type.
 */
export const structuralEffects = {
  harness_start: 'run start',
  harness_end: 'run end',
  session: 'run',
  step_start: 'attempt',
  usage: 'attempt end',
  user: 'message',
  text: 'output',
  reasoning: 'output',
  tool_input_delta: 'output',
  tool_call: 'call',
  tool_start: 'call report',
  tool_progress: 'call report',
  tool_result: 'call result',
  repl_input: 'execution',
  repl_progress: 'execution report',
  repl_output: 'execution result',
  relay: 'question',
  relay_resolved: 'answer',
  plan_status: 'fact',
  tasks: 'fact',
  summary: 'fact',
  error: 'fact',
  warning: 'fact',
  file_registered: 'fact',
  unknown: 'fact',
  custom: 'fact',
  mode_changed: 'fact',
  model_changed: 'fact',
  folder_changed: 'fact',
  grant_revoked: 'fact',
  branch_selected: 'branch',
  collapsed: 'fold',
  model_context: 'none',
  run_requested: 'none',
  abort_requested: 'none',
  steer_requested: 'none',
  message_queued: 'none',
  message_changed: 'none',
  message_withdrawn: 'none',
} as const satisfies Record<EventType, string>;

export type StructuralEffect = (typeof structuralEffects)[EventType];

/** The types of events that have an effect. */
export type TypeWithEffect<Effect extends StructuralEffect> = {
  [Type in EventType]: (typeof structuralEffects)[Type] extends Effect ? Type : never;
}[EventType];

/** An event that has an effect. */
export type EventWithEffect<Effect extends StructuralEffect> = EventOf<TypeWithEffect<Effect>>;

/** One function for each effect; a new effect breaks the build wherever it is not handled. */
export type EffectHandlers<Target> = {
  readonly [Effect in StructuralEffect]: (event: EventWithEffect<Effect>, target: Target) => void;
};

/** Applies an event to a structure by its effect; ignores types that this version does not know. */
export function applyEffect<Target>(on: EffectHandlers<Target>, event: AgentEvent, target: Target): void {
  if (!isKnownEvent(event)) return;
  (on[structuralEffects[event.type]] as (event: AgentEvent, target: Target) => void)(event, target);
}

/** The kind of the known cause that a run names. */
export type RunCause = 'call' | 'run' | 'user';

/**
 * The place of a run: a separate message that is nested in the call or run that caused it, answers a user message or
 * follows the newest message; or part of the message of the run that caused it or of the newest run.
 */
export type RunPlace = 'nested' | 'answer' | 'next' | 'inside cause' | 'inside newest';

/** Decides where the first event of a run places it. */
export function placeRun(
  { type, parentId }: { readonly type: EventType; readonly parentId?: string | undefined },
  cause: RunCause | undefined,
  isNewestRunning: () => boolean,
): RunPlace {
  const starts = type === 'harness_start';
  if (cause === 'call') return 'nested';
  if (cause === 'user') return 'answer';
  if (cause === 'run') return starts ? 'nested' : 'inside cause';
  return !starts && parentId === undefined && isNewestRunning() ? 'inside newest' : 'next';
}
