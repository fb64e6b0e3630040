import type { HarnessEvent } from '../harness-event.ts';
import type { StateUpdate } from '../settings/state-store.ts';

/** What travels with a request to tools and subagents, by name. */
export class RequestContext extends Map<string, unknown> {}

/** A person's answer to a question: a text, or the labels that were chosen. */
export type HarnessQuestionAnswer = string | string[];

/** A person's answer to a plan. */
export interface PlanResponse {
  readonly action: 'approved' | 'rejected';
  readonly feedback?: string;
}

/** What tools get as `requestContext.get('harness')`. */
export interface HarnessRequestContext<State = Record<string, unknown>> {
  readonly harnessId: string;
  /** The state when the request began; `getState` gives the newest. */
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
  readonly workspace?: unknown;
  emitEvent?(event: HarnessEvent): void;
  registerQuestion?(question: { questionId: string; resolve: (answer: HarnessQuestionAnswer) => void }): void;
  registerPlanApproval?(plan: { planId: string; resolve: (response: PlanResponse) => void }): void;
  getSubagentModelId?(options?: { agentType?: string }): string | null;
}

/** What a tool that is given to a harness is called with beside its input. */
export interface HarnessToolContext {
  readonly requestContext?: { get(key: string): unknown };
  readonly abortSignal?: AbortSignal;
  readonly toolCallId?: string;
}

/** The harness a tool is called in; undefined outside of one. */
export function harnessContextOf(context: HarnessToolContext | undefined): Partial<HarnessRequestContext> | undefined {
  const harness = context?.requestContext?.get('harness');
  return typeof harness === 'object' && harness !== null ? harness : undefined;
}
