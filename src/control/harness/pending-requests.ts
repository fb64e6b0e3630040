export type HarnessQuestionSelectionMode = 'single_select' | 'multi_select';

/** An option of a question. */
export interface HarnessQuestionOption {
  readonly label: string;
  readonly description?: string | undefined;
}

/** A call with its input. */
export interface ToolInput {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly args: unknown;
}

/** A call that waits for approval. */
export type PendingToolApproval = ToolInput;

/** A call that waits for data. */
export interface PendingSuspension extends ToolInput {
  readonly suspendPayload: unknown;
  readonly resumeSchema?: string;
}

/** A pending question. */
export interface PendingQuestion {
  readonly questionId: string;
  readonly question: string;
  readonly options?: HarnessQuestionOption[];
  readonly selectionMode?: HarnessQuestionSelectionMode;
}

/** A plan that waits for a decision. */
export interface PendingPlanApproval {
  readonly planId: string;
  readonly title?: string;
  readonly plan: string;
}
