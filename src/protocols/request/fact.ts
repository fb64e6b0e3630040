import { defined } from '../../base/defined.ts';
import type { ContentPart } from '../../events/content.ts';
import type { ToolOutput } from '../../events/tools.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import type { RelayDecision } from './decision.ts';
import type { OpenCall, OpenRelay, OpenRun } from './open.ts';
import type { Progress } from './shown-call.ts';
import type { RequestTokenUsage, RequestTotals } from './totals.ts';

/** Why a run ended. */
export type EndReason = NonNullable<EventOf<'harness_end'>['reason']>;

/** The outcome of a request: its error, or the reason why it stopped; `modelReason` is the model's stop reason. */
export type RequestOutcome =
  | { readonly reason: 'error'; readonly message: string; readonly code: string }
  | { readonly reason: Exclude<EndReason, 'error' | 'limit_reached'>; readonly modelReason?: string | undefined };

/** A file that became available; fields that are not known are absent. */
export interface FileData {
  readonly id: string;
  readonly path: string;
  readonly mediaType?: string;
  readonly size?: number;
  readonly toolCallId?: string;
}

/** Where a plan stands, as it is shown: `pending_approval` while a person is asked about it. */
export type PlanStatus = EventOf<'plan_status'>['to'] | 'pending_approval';

/** A plan moved; `from` is absent when the plan is new. */
export interface PlanChange {
  readonly planId: string;
  readonly from: PlanStatus;
  readonly to: PlanStatus;
}

/** The outcome of a subagent: its last text, or its error. */
export type AgentOutcome = { readonly text: string } | { readonly error: string };

interface Words<Type extends string> {
  readonly type: Type;
  readonly id: string;
  readonly text: string;
}

/**
 * A fact of a request. Facts are emitted in an order that every protocol can encode, regardless of the log's order:
 * - `started` is first and `ended` is last; each is emitted once.
 * - Text and reasoning belong to the root run and follow a `step`.
 * - `call`, then `progress` and `asked`, then exactly one `result`, also when the run was stopped.
 * - Everything `asked` is `decided` once, before the result of the call it is about.
 * - `agent-started` has one `agent-ended`.
 */
export type Fact =
  | { readonly type: 'started'; readonly run: OpenRun }
  /** `attempt` is above 1 when the step replaces the previous attempt. */
  | { readonly type: 'step'; readonly attempt: number }
  | Words<'text'>
  | Words<'reasoning'>
  | { readonly type: 'input'; readonly key: string; readonly toolName: string; readonly delta: string }
  | { readonly type: 'call'; readonly call: OpenCall }
  | { readonly type: 'progress'; readonly call: OpenCall; readonly progress: Progress }
  | { readonly type: 'asked'; readonly relay: OpenRelay }
  | { readonly type: 'decided'; readonly relay: OpenRelay; readonly decision: RelayDecision }
  /** `abandoned` when the call is of an attempt that was replaced before it did anything. */
  | { readonly type: 'result'; readonly call: OpenCall; readonly output: ToolOutput; readonly abandoned?: true }
  | { readonly type: 'agent-started'; readonly agent: OpenRun }
  | {
      readonly type: 'agent-ended';
      readonly agent: OpenRun;
      readonly outcome: AgentOutcome;
      /** Of this agent alone, without the agents it started. */
      readonly usage: RequestTokenUsage;
    }
  | { readonly type: 'plan'; readonly change: PlanChange }
  | { readonly type: 'file'; readonly file: FileData }
  | { readonly type: 'custom'; readonly name: string; readonly data: unknown }
  | { readonly type: 'tasks'; readonly tasks: EventOf<'tasks'>['tasks'] }
  | { readonly type: 'warning'; readonly warning: { readonly message: string; readonly code?: string } }
  /** A user sent a message during the run. */
  | { readonly type: 'user_message'; readonly id: string; readonly content: string | readonly ContentPart[] }
  | {
      readonly type: 'ended';
      /** How the root run ended. */
      readonly outcome: RequestOutcome;
      readonly totals: RequestTotals;
    };

/** The fact of one type. */
export type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>;

/** One function for each type of fact: a protocol is such a table. */
export type FactHandlers<Result> = { readonly [Type in Fact['type']]: (fact: FactOf<Type>) => Result };

/** Calls the handler for the type of a fact and returns its result. */
export function handleFact<Result>(on: FactHandlers<Result>, fact: Fact): Result {
  return (on[fact.type] as (fact: Fact) => Result)(fact);
}

/** The error of a call whose run ended before it had a result. */
export const noResult = 'It has no result: the run ended before.';

/** Returns the outcome of a subagent: its last text, or the reason why it failed. */
export function agentOutcome(
  reason: EndReason,
  { words, message }: { readonly words: string; readonly message: string | undefined },
): AgentOutcome {
  if (reason === 'complete' || reason === 'max_iterations') return { text: words };
  return { error: reason === 'aborted' ? 'The agent was stopped.' : (message ?? `The run ended: ${reason}.`) };
}

/** Why a request that did not fail ended. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'aborted' | 'timeout' | 'interrupted';

/** The reason in the words of models: a run that used up its steps still wanted tools. */
export function toFinishReason({ reason, modelReason }: Exclude<RequestOutcome, { reason: 'error' }>): FinishReason {
  if (reason === 'complete') return modelReason === 'length' || modelReason === 'content-filter' ? modelReason : 'stop';
  return reason === 'max_iterations' ? 'tool-calls' : reason;
}

/** A registered file as readers receive it. */
export function fileData({ id, path, mediaType, size, toolCallId }: EventOf<'file_registered'>): FileData {
  return {
    id,
    path,
    ...defined({ mediaType, size, toolCallId }),
  };
}
