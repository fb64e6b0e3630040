import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { ModelStepOptions } from '../model/call/model-step.ts';

/** The step that a policy prepares: a model call of a policy that resembles those of the run hits the same cache. */
export type StepContext = Pick<
  ModelStepOptions,
  'runId' | 'step' | 'tools' | 'settings' | 'record' | 'registry' | 'signal' | 'retry' | 'spending' | 'answers'
> & {
  readonly model: LanguageModelV3;
  readonly system: string | undefined;
};

/**
 * Keeps model requests within size limits with `summary` events, its only stored state. Reports failures as events and
 * never ends the run.
 */
export interface ContextPolicy {
  /** Prepares the next model call; puts the summaries that take effect with it. */
  beforeStep(context: StepContext, put: (event: AgentEvent) => Promise<void>): Promise<void>;
  /** Is called when a model call and its tools have ended. */
  afterStep?(context: StepContext): Promise<void>;
}
