import type { CostSummary, Latency, RequestTokenUsage } from '../request/totals.ts';
import type { FileData, FinishReason, PlanChange } from '../request/fact.ts';
import type { OpenRelay } from '../request/open.ts';

/** Events of a subagent carry the id of its `tool-agent` pair; absent for the root run. */
interface OfAgent {
  readonly toolAgentId?: string;
}

interface Invocation extends OfAgent {
  readonly type: 'tool-invocation';
  readonly toolInvocationId: string;
  readonly toolName: string;
  readonly args: unknown;
}

interface AgentCall {
  readonly type: 'tool-agent';
  /** The same for the call and the result: the id of the subagent's run. */
  readonly toolAgentId: string;
  readonly agentName: string;
  /** The tool call that started it, when there is one. */
  readonly toolInvocationId?: string;
  /** The prompt that it was given. */
  readonly prompt?: unknown;
}

/** The decision on an approval. */
export type ApprovalOutcome =
  | { readonly outcome: 'approve' | 'reject' }
  | { readonly outcome: 'revise'; readonly partial: unknown };

/** One event of the `flow` wire protocol. Optional fields are absent when they do not apply. */
export type FlowEvent =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** `attempt` is present, from 2 on, when the step replaces the attempt before. */
  | { readonly type: 'step-start'; readonly attempt?: number }
  | (Invocation & { readonly state: 'call' })
  | (Invocation & { readonly state: 'result'; readonly result: unknown })
  | ({
      readonly type: 'tool-progress';
      readonly toolName: string;
      readonly toolCallId?: string;
      readonly label: string;
      readonly phaseIndex: number;
      readonly totalPhases: number;
      readonly milestone?: unknown;
    } & OfAgent)
  | (AgentCall & { readonly state: 'call' })
  | (AgentCall & { readonly state: 'result'; readonly result: unknown })
  | {
      readonly type: 'data-tool-agent';
      readonly data: {
        readonly toolAgentId: string;
        readonly agentName: string;
        readonly model?: string;
        readonly usage: RequestTokenUsage;
      };
    }
  | {
      readonly type: 'approval-required';
      readonly data: Pick<OpenRelay, 'id' | 'kind' | 'target' | 'payload'> & {
        readonly resourceId?: string;
        readonly threadId?: string;
      };
    }
  | {
      readonly type: 'approval-decision';
      readonly data: {
        readonly id: string;
        readonly outcome: ApprovalOutcome;
        readonly feedback?: string;
        /** The user's answer to a question. */
        readonly answer?: string | readonly string[];
      };
    }
  | { readonly type: 'plan-status-change'; readonly data: PlanChange }
  | { readonly type: 'data-file-registered'; readonly data: FileData }
  | { readonly type: 'data-cost-summary'; readonly data: CostSummary }
  | { readonly type: 'data-latency-summary'; readonly data: Latency }
  | { readonly type: 'finish'; readonly finishReason: FinishReason; readonly usage: RequestTokenUsage }
  | { readonly type: 'error'; readonly error: { readonly message: string; readonly code: string } }
  | { readonly type: 'custom'; readonly event_type: string; readonly data: unknown }
  | { readonly type: 'data-flow-ui'; readonly data: { readonly dsl: unknown } };
