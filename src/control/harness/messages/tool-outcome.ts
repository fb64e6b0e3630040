import type { ToolOutput } from '../../../events/index.ts';

/** What a program is told when a person or a rule did not let a call run. */
const notApproved = 'Tool call was not approved by the user';

/** The outcome of a call as a harness tells it: a failure is an error, and so is a result that says it is one. */
export function toolOutcome(output: ToolOutput): { readonly result: unknown; readonly isError: boolean } {
  if ('error' in output) return { result: output.error, isError: true };
  if ('status' in output) return { result: notApproved, isError: false };
  const result = output.result ?? output.context;
  return { result, isError: saysError(result) };
}

function saysError(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'isError' in result && result.isError === true;
}
