import type { ToolOutput } from '../../events/tools.ts';

/** Returns the exit code that a call reported; undefined when it reported none. */
export function exitCodeOf({ output }: { readonly output?: ToolOutput | undefined }): number | undefined {
  const result = output !== undefined && 'context' in output ? output.result : undefined;
  const { exitCode } = (typeof result === 'object' && result !== null ? result : {}) as Record<string, unknown>;
  return typeof exitCode === 'number' ? exitCode : undefined;
}
