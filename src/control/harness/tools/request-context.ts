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

/** How a call suspends itself, and the data it is resumed with. */
interface SuspendableCall {
  readonly toolCallId?: string;
  /** Suspends the call: its return value is ignored, and it is executed again with `resumeData`. */
  readonly suspend?: (payload?: unknown) => Promise<void>;
  /** The data of `respondToToolSuspension`; absent before. */
  readonly resumeData?: unknown;
}

/** The second argument of a harness tool. */
export interface HarnessToolContext extends SuspendableCall {
  readonly requestContext?: { get(key: string): unknown };
  readonly abortSignal?: AbortSignal;
  /** The same as in the context itself, where tools of the reference look for it. */
  readonly agent?: SuspendableCall;
}

/** The harness of a tool call; undefined outside of one. */
export function getHarnessContext(context: HarnessToolContext | undefined): Partial<HarnessRequestContext> | undefined {
  const harness = context?.requestContext?.get('harness');
  return typeof harness === 'object' && harness !== null ? harness : undefined;
}
