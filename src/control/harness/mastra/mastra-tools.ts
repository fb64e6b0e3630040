import { defined } from '../../../base/defined.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { PublicSchema } from '../arguments/standard-schema.ts';
import type { HarnessTool, ToolsInput } from '../tools/harness-tool.ts';

/** The parts of a tool written for Mastra that are used. */
export interface MastraTool {
  readonly id?: string | undefined;
  readonly description?: string | undefined;
  readonly inputSchema?: unknown;
  readonly resumeSchema?: unknown;
  readonly execute?: ((...call: never[]) => unknown) | undefined;
}

/** Tools written for Mastra, by name. */
export type MastraTools = Readonly<Record<string, MastraTool>>;

/**
 * Converts tools written for Mastra, such as those of `createTool`, to tools of a harness. Throws `invalid_argument` for
 * a tool without `execute`: tools of the client or of a provider have no meaning here.
 */
export function mastraTools(tools: MastraTools): ToolsInput {
  return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, harnessTool(name, tool)]));
}

function harnessTool(name: string, tool: MastraTool): HarnessTool {
  const { description, inputSchema, resumeSchema } = tool;
  const execute = tool.execute as ((input: unknown, context: unknown) => unknown) | undefined;
  if (execute === undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The tool "${name}" has no \`execute\`. Give it one: tools that a client or a provider executes are not supported.`,
    );
  return {
    ...defined({ description }),
    ...(inputSchema !== undefined && { inputSchema: inputSchema as PublicSchema }),
    ...(resumeSchema !== undefined && { resumeSchema: resumeSchema as PublicSchema }),
    execute: (input, context) => execute.call(tool, input, context),
  };
}
