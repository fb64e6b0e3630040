import { toToolOutput } from '../../../events/tools.ts';

/** The result of a call that a person or the harness declined: neither an error nor a success. */
export const notApproved = 'Tool call was not approved by the user';

/**
 * The outcome of a call as a harness reports it: an error when the call failed or its result has `isError`; the reason
 * when a rule of the agent denied it.
 */
export function toolOutcome(given: unknown): { readonly result: unknown; readonly isError: boolean } {
  const output = toToolOutput(given);
  if ('error' in output) return { result: output.error, isError: true };
  if ('status' in output) return { result: output.by === 'rules' ? output.reason : notApproved, isError: false };
  const result = wholeResult(output.result ?? output.context, output.context);
  return { result, isError: saysError(result) };
}

/** Adds the model's text, such as the output of a command, to the structured result as `content`. */
function wholeResult(result: unknown, context: unknown): unknown {
  const isFacts = typeof result === 'object' && result !== null && !Array.isArray(result) && !('content' in result);
  return isFacts && typeof context === 'string' ? { ...result, content: context } : result;
}

function saysError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
}
