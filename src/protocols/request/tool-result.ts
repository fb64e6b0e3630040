import type { ToolOutput } from '../../events/tools.ts';

/** What a tool that worked gave back for programs: its result, or what the model is sent when there is none. */
export function resultOf({ context, result }: Extract<ToolOutput, { context: unknown }>): unknown {
  return result === undefined ? context : result;
}
