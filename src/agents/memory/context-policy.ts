import type { RunInput, RunInputOptions } from '../../projections/model-input/run-input.ts';
import type { HostParams } from '../contract/agent.ts';
import type { MemorySettings } from '../contract/memory.ts';
import type { CompactionOptions } from './compaction-options.ts';
import { Compaction } from './compaction.ts';
import { ObservationPolicy } from './observation-policy.ts';
import type { ContextPolicy } from './step-context.ts';

interface Options {
  readonly compaction?: CompactionOptions | false;
  readonly memory?: MemorySettings;
}
type Host = Pick<HostParams, 'memory' | 'memoryHost'>;

/** Returns the policy of a run: observation with a memory and a memory host, else compaction unless it is disabled. */
export function contextPolicy(options: Options, host: Host, input: RunInput): ContextPolicy | undefined {
  const { compaction = {} } = options;
  const observation = getObservation(options, host);
  if (observation !== undefined) return new ObservationPolicy({ ...observation, input });
  return compaction === false ? undefined : new Compaction(compaction, input);
}

/** Returns the `spans` option for the input of a run; empty without a memory. */
export function spansFor(options: Options, host: Host): Pick<RunInputOptions, 'spans'> {
  const spans = getObservation(options, host)?.host.spans();
  return spans === undefined ? {} : { spans };
}

function getObservation(options: Options, { memory = options.memory, memoryHost: host }: Host) {
  return memory === undefined || host === undefined ? undefined : { memory, host };
}
