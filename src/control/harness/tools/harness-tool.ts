import * as z from 'zod';
import type { Tool } from '../../../agents/loop/tool.ts';
import { SingletreeError } from '../../../events/index.ts';
import type { Dynamic } from '../harness-config.ts';
import type { ToolCategory } from '../permissions/permissions.ts';
import type { RequestContext, HarnessToolContext } from './request-context.ts';
import { jsonSchemaOf, type PublicSchema, standardSchema } from '../arguments/standard-schema.ts';

/** A tool of a harness. */
export interface HarnessTool<Input = unknown, Result = unknown> {
  /** Its name; its key by default. */
  readonly id?: string;
  readonly description?: string;
  /** zod, another Standard Schema, or a JSON Schema. */
  readonly inputSchema?: PublicSchema<Input>;
  /** Its category for permissions, unless the harness has a `toolCategoryResolver`. */
  readonly category?: ToolCategory;
  /** Distinguishes it from a loop tool, which has its schema here. */
  readonly input?: never;
  execute(input: Input, context?: HarnessToolContext): Promise<Result> | Result;
}

/** Tools by name, in either form. */
export type ToolsInput = Readonly<Record<string, HarnessTool | Tool>>;

/** Converts tools for the loop; each is named by its key and receives the request context. */
export function loopTools(tools: ToolsInput, requestContext: RequestContext): Tool[] {
  if (Array.isArray(tools))
    throw new SingletreeError(
      'invalid_argument',
      'Tools are a list. Pass an object with their names as keys, such as `{ look: tool }`.',
    );
  return Object.entries(tools).map(([name, tool]) =>
    tool.input !== undefined
      ? { ...tool, execute: tool.execute.bind(tool), name }
      : loopTool(name, tool, requestContext),
  );
}

/** The category that a tool of the harness declares; undefined when it has none, or when tools depend on the request. */
export function declaredCategory(tools: Dynamic<ToolsInput | undefined>, name: string): string | undefined {
  return typeof tools === 'object' && Object.hasOwn(tools, name) ? tools[name]?.category : undefined;
}

function loopTool(name: string, tool: HarnessTool, requestContext: RequestContext): Tool {
  const { inputSchema = z.looseObject({}) } = tool;
  const jsonSchema = '_zod' in inputSchema ? undefined : jsonSchemaOf(inputSchema);
  return {
    name,
    description: tool.description ?? name,
    input: standardSchema(inputSchema, `the tool "${name}"`),
    ...(tool.category !== undefined && { category: tool.category }),
    ...(jsonSchema && { inputJsonSchema: { ...jsonSchema } }),
    execute: async (input, { signal, toolCallId }) => {
      const value = await tool.execute(input, { requestContext, abortSignal: signal, toolCallId });
      return { context: value, result: value };
    },
  };
}
