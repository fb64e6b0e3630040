import type { HarnessEvent } from '../harness-event.ts';
import type { StateUpdate } from '../settings/state-store.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** Values that a request passes to tools and subagents, by name. */
export class RequestContext extends Map<string, unknown> {}

/** The answer to a question: a text, or the chosen labels. */
export type HarnessQuestionAnswer = string | string[];

/** The decision on a plan. */
export interface PlanResponse {
  readonly action: 'approved' | 'rejected';
  readonly feedback?: string;
}

/** The value of `requestContext.get('harness')` in tools. */
export interface HarnessRequestContext<State = Record<string, unknown>> {
  readonly harnessId: string;
  /** The state at the start of the request; `getState` returns the newest. */
  readonly state: Readonly<State>;
  getState(): Readonly<State>;
  setState(updates: Partial<State>): Promise<void>;
  updateState<Result>(
    updater: (state: Readonly<State>) => StateUpdate<Result> | Promise<StateUpdate<Result>>,
  ): Promise<Result>;
  readonly threadId: string | null;
  readonly resourceId: string;
  readonly modeId: string;
  readonly abortSignal?: AbortSignal;
  readonly workspace?: Workspace;
  emitEvent?(event: HarnessEvent): void;
  registerQuestion?(question: { questionId: string; resolve: (answer: HarnessQuestionAnswer) => void }): void;
  registerPlanApproval?(plan: { planId: string; resolve: (response: PlanResponse) => void }): void;
  getSubagentModelId?(options?: { agentType?: string }): string | null;
}

/** The second argument of a harness tool. */
export interface HarnessToolContext {
  readonly requestContext?: { get(key: string): unknown };
  readonly abortSignal?: AbortSignal;
  readonly toolCallId?: string;
}

/** The harness of a tool call; undefined outside of one. */
export function harnessContextOf(context: HarnessToolContext | undefined): Partial<HarnessRequestContext> | undefined {
  const harness = context?.requestContext?.get('harness');
  return typeof harness === 'object' && harness !== null ? harness : undefined;
}
