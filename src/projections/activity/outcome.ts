import type { ToolOutput } from '../../events/tools.ts';

/** Returns the success and exit code that a tool's output states; empty without an output. */
export function getOutcome(output: ToolOutput | undefined): { isSuccess?: boolean; exitCode?: number } {
  if (output === undefined) return {};
  if (!('context' in output)) return { isSuccess: false };
  const { result } = output;
  const exitCode =
    typeof result === 'object' && result !== null && 'exitCode' in result && typeof result.exitCode === 'number'
      ? result.exitCode
      : undefined;
  return exitCode === undefined ? { isSuccess: true } : { isSuccess: exitCode === 0, exitCode };
}

/** Only the success, for operations that have no exit code. */
export function getSuccess(output: ToolOutput | undefined): { isSuccess?: boolean } {
  const { isSuccess } = getOutcome(output);
  return isSuccess === undefined ? {} : { isSuccess };
}

/** Returns the exit code that a call reported; undefined when it reported none. */
export function readExitCode({ output }: { readonly output?: ToolOutput | undefined }): number | undefined {
  const result = output !== undefined && 'context' in output ? output.result : undefined;
  const { exitCode } = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  return typeof exitCode === 'number' ? exitCode : undefined;
}
