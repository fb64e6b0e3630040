import type { ToolOutput } from '../../../events/index.ts';

/** What a program is told when a person or a rule did not let a call run; that is no error, and no success either. */
export const notApproved = 'Tool call was not approved by the user';

/** The outcome of a call as a harness tells it: a failure is an error, and so is a result that says it is one. */
export function toolOutcome(output: ToolOutput): { readonly result: unknown; readonly isError: boolean } {
  if ('error' in output) return { result: output.error, isError: true };
  if ('status' in output) return { result: notApproved, isError: false };
  const result = wholeResult(output.result ?? output.context, output.context);
  return { result, isError: saysError(result) };
}

/** What a program gets has the words for the model too, such as what a command printed: in `content`. */
function wholeResult(result: unknown, context: unknown): unknown {
  const isFacts = typeof result === 'object' && result !== null && !Array.isArray(result) && !('content' in result);
  return isFacts && typeof context === 'string' ? { ...result, content: context } : result;
}

function saysError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
}
