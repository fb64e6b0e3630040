import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { AgentEvent } from '../../events/index.ts';
import type { RunInput, RunInputOptions } from '../../projections/model-input/run-input.ts';
import type { HostParams } from '../invoke-params.ts';
import type { LoopAgentOptions } from '../loop/loop-agent-options.ts';
import type { ModelStepOptions } from '../model/call/model-step.ts';
import { Compaction } from './compaction.ts';
import { ObservationPolicy } from './observation-policy.ts';

/** The step that a policy prepares: a model call of a policy that resembles those of the run hits the same cache. */
export type StepContext = Pick<
  ModelStepOptions,
  'runId' | 'step' | 'tools' | 'settings' | 'record' | 'registry' | 'signal' | 'retry' | 'spending' | 'answers'
> & {
  readonly model: LanguageModelV3;
  readonly system: string | undefined;
};

/**
 * Keeps what a model is sent within bounds by `summary` events, which are all it stores. Its failures are events, never
 * the end of the run.
 */
export interface ContextPolicy {
  /** Prepares the next model call; puts the summaries that take effect with it. */
  beforeStep(context: StepContext, put: (event: AgentEvent) => Promise<void>): Promise<void>;
  /** Is called when a model call and its tools have ended. */
  afterStep?(context: StepContext): Promise<void>;
}

type Options = Pick<LoopAgentOptions, 'compaction' | 'memory'>;
type Host = Pick<HostParams, 'memory' | 'memoryHost'>;

/** Returns the policy of a run: observation when there is a memory and a host for it, else compaction unless it is off. */
export function contextPolicy(options: Options, host: Host, input: RunInput): ContextPolicy | undefined {
  const { compaction = {} } = options;
  const observation = observationOf(options, host);
  if (observation !== undefined) return new ObservationPolicy({ ...observation, input });
  return compaction === false ? undefined : new Compaction(compaction, input);
}

/** Returns what the input of a run needs of its history. */
export function spansFor(options: Options, host: Host): Pick<RunInputOptions, 'spans'> {
  const spans = observationOf(options, host)?.host.spans();
  return spans === undefined ? {} : { spans };
}

function observationOf(options: Options, { memory = options.memory, memoryHost: host }: Host) {
  return memory === undefined || host === undefined ? undefined : { memory, host };
}
