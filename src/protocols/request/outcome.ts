import type { AgentOutcome, EndReason } from './fact.ts';

/** The error of a call whose run ended before it had a result. */
export const noResult = 'It has no result: the run ended before.';

/** How a subagent ended: with its last words, or with the reason why it failed. */
export function agentOutcome(
  reason: EndReason,
  { words, message }: { readonly words: string; readonly message: string | undefined },
): AgentOutcome {
  if (reason === 'complete' || reason === 'max_iterations') return { text: words };
  return { error: reason === 'aborted' ? 'The agent was stopped.' : (message ?? `The run ended: ${reason}.`) };
}
