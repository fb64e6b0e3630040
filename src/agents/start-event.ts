import { defined } from '../base/defined.ts';
import type { EventOf } from '../events/vocabulary.ts';
import type { RunParams } from './contract/run-params.ts';

/** The first event of a run. */
export function startEvent(
  agentId: string,
  { runId, parentId, model }: RunParams,
  cwd?: string,
): EventOf<'harness_start'> {
  return {
    type: 'harness_start',
    runId,
    agentId,
    ...defined({ parentId, model, cwd }),
  };
}
