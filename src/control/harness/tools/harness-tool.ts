import * as z from 'zod';
import type { Tool } from '../../../agents/loop/tool.ts';
import { SingletreeError } from '../../../events/index.ts';
import type { RequestContext, HarnessToolContext } from './request-context.ts';
import { jsonSchemaOf, type PublicSchema, standardSchema } from '../arguments/standard-schema.ts';

/** A tool as it is given to a harness. */
export interface HarnessTool<Input = unknown, Result = unknown> {
  /** Its name; the key it is given under when absent. */
  readonly id?: string;
  readonly description?: string;
  /** zod, another Standard Schema, or a JSON Schema. */
  readonly inputSchema?: PublicSchema<Input>;
  /** Tells it apart from a tool of the loop, which has its schema here. */
  readonly input?: never;
  execute(input: Input, context?: HarnessToolContext): Promise<Result> | Result;
}

/** Tools by name, in either form. */
export type ToolsInput = Readonly<Record<string, HarnessTool | Tool>>;

/** The tools as the loop takes them; each is named by its key, and gets the request's context. */
export function loopTools(tools: ToolsInput, requestContext: RequestContext): Tool[] {
  if (Array.isArray(tools))
    throw new SingletreeError(
      'invalid_argument',
      'Tools are given by their names, `{ look: tool }`, and not as a list.',
    );
  return Object.entries(tools).map(([name, tool]) =>
    tool.input !== undefined
      ? { ...tool, execute: tool.execute.bind(tool), name }
      : loopTool(name, tool, requestContext),
  );
}

function loopTool(name: string, tool: HarnessTool, requestContext: RequestContext): Tool {
  const { inputSchema = z.looseObject({}) } = tool;
  const jsonSchema = '_zod' in inputSchema ? undefined : jsonSchemaOf(inputSchema);
  return {
    name,
    description: tool.description ?? name,
    input: standardSchema(inputSchema, `the tool "${name}"`),
    ...(jsonSchema && { inputJsonSchema: { ...jsonSchema } }),
    execute: async (input, { signal, toolCallId }) => {
      const value = await tool.execute(input, { requestContext, abortSignal: signal, toolCallId });
      return { context: value, result: value };
    },
  };
}
