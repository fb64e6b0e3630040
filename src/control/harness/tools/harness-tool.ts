import { defined } from '../../../base/defined.ts';
import * as z from 'zod';
import type { conversationCategory } from '../../../agents/permissions/tool-request.ts';
import type { Tool, ToolCall } from '../../../agents/contract/agent.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { Dynamic } from '../dynamic.ts';
import type { ToolCategory } from '../permissions/permissions.ts';
import type { RequestContext, HarnessToolContext } from './request-context.ts';
import { toJsonSchema, type PublicSchema, standardSchema } from '../arguments/standard-schema.ts';

/** A tool of a harness. */
export interface HarnessTool<Input = unknown, Result = unknown> {
  /** Its name; its key by default. */
  readonly id?: string;
  readonly description?: string;
  /** zod, another Standard Schema, or a JSON Schema. */
  readonly inputSchema?: PublicSchema<Input>;
  /** The schema of the data that a suspended call waits for; reported with `tool_suspended`. */
  readonly resumeSchema?: PublicSchema;
  /** Its category for permissions, unless the harness has a `toolCategoryResolver`; `conversation` is not asked about. */
  readonly category?: ToolCategory | typeof conversationCategory;
  /** Distinguishes it from a loop tool, which has its schema here. */
  readonly input?: never;
  /** A call that was suspended is executed again, with the data of `respondToToolSuspension` as `resumeData`. */
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
  const jsonSchema = '_zod' in inputSchema ? undefined : toJsonSchema(inputSchema);
  return {
    name,
    description: tool.description ?? name,
    input: standardSchema(inputSchema, `the tool "${name}"`),
    ...defined({ category: tool.category }),
    ...(jsonSchema && { inputJsonSchema: { ...jsonSchema } }),
    repeatable: 'suspended',
    execute: async (input, context) => {
      const value = await executeUntilResult(name, tool, { input, context, requestContext });
      return { context: value, result: value };
    },
  };
}

interface Call {
  readonly input: unknown;
  readonly context: ToolCall;
  readonly requestContext: RequestContext;
}

/** Executes a tool, and again with the answer each time it suspends itself. Resumes with its earlier suspensions. */
async function executeUntilResult(name: string, tool: HarnessTool, call: Call): Promise<unknown> {
  let resumeData: unknown;
  for (let count = 0; count < call.context.asked; count++) resumeData = await untilResumed(name, tool, call);
  for (;;) {
    const { value, suspended } = await executeOnce(tool, call, resumeData);
    if (suspended === undefined) return value;
    resumeData = await untilResumed(name, tool, call, suspended.payload);
  }
}

async function executeOnce(tool: HarnessTool, { input, context, requestContext }: Call, resumeData: unknown) {
  let suspended: { readonly payload: unknown } | undefined;
  const { toolCallId, signal: abortSignal } = context;
  const suspend = async (payload?: unknown) => void (suspended = { payload });
  const agent = { toolCallId, suspend, ...defined({ resumeData }) };
  const value = await tool.execute(input, { requestContext, abortSignal, ...agent, agent });
  return { value, suspended };
}

/** Waits for the data of a suspended call. */
async function untilResumed(name: string, tool: HarnessTool, { context }: Call, payload?: unknown): Promise<unknown> {
  const schema = tool.resumeSchema && toJsonSchema(tool.resumeSchema);
  const answer = await context.ask({
    relayKind: 'suspension',
    tool: name,
    ...defined({ payload }),
    ...(schema !== undefined && { resumeSchema: JSON.stringify(schema) }),
  });
  if (answer === undefined) throw new Error(`The tool "${name}" suspended its call, and nobody can resume it.`);
  if (answer.outcome === 'answer' || answer.outcome === 'approve')
    return answer.input === undefined ? {} : answer.input;
  throw new Error(answer.feedback ?? `The suspended call of "${name}" was not resumed: ${answer.outcome}.`);
}
