import type { RequestOutcome } from './fact.ts';

/** Why a request that did not fail ended. */
export type FinishReason = 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'aborted' | 'timeout' | 'interrupted';

/** The reason in the words of models: a run that used up its steps still wanted tools. */
export function finishReasonOf({ reason, modelReason }: Exclude<RequestOutcome, { reason: 'error' }>): FinishReason {
  if (reason === 'complete') return modelReason === 'length' || modelReason === 'content-filter' ? modelReason : 'stop';
  return reason === 'max_iterations' ? 'tool-calls' : reason;
}
