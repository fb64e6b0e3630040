import { defined } from '../../base/defined.ts';
import { invalidArgument, wordsFor } from '../../base/options/check-options.ts';
import { isObject } from '../../base/options/option-fields.ts';
import { checkTool } from './check-tool.ts';
import { readSchema } from './read-schema.ts';
import type { ToolReturn } from '../contract/tool-values.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';

/** The structure of a tool of the AI SDK 5, 6 or 7, as returned by `tool()` and by provider tools. */
export interface AiSdkTool {
  readonly type?: 'function' | 'dynamic' | 'provider' | 'provider-defined' | undefined;
  readonly description?: string | ((options: never) => string) | undefined;
  readonly inputSchema: object;
  readonly execute?: ((input: never, options: never) => unknown) | undefined;
  readonly needsApproval?: boolean | ((input: never, options: never) => boolean | PromiseLike<boolean>) | undefined;
  readonly toModelOutput?: ((options: never) => unknown) | undefined;
}

/** Tools by name: of the AI SDK, or our own. */
export type NamedTools = Readonly<Record<string, AiSdkTool | Tool>>;

/** The fields of an AI SDK tool that are read here, including untyped ones. */
interface AnyTool {
  readonly type?: string;
  readonly id?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly description?: string | ((options: object) => string);
  readonly inputSchema: object;
  readonly strict?: boolean;
  readonly inputExamples?: { input: never }[];
  readonly providerOptions?: Record<string, never>;
  readonly execute?: (input: unknown, options: object) => unknown;
  readonly needsApproval?: boolean | ((input: unknown, options: object) => boolean | PromiseLike<boolean>);
  readonly toModelOutput?: (options: object) => unknown;
}

/** The tools of an agent: a list, or tools by name. */
export type AgentTools = readonly Tool[] | NamedTools;

/** Returns tools as a checked list; a tool of ours gets its key as its name. Throws `invalid_argument` for an invalid one. */
export function toolList(tools: AgentTools): readonly Tool[] {
  const list = Array.isArray(tools) ? (tools as readonly Tool[]) : toList(tools as NamedTools);
  list.forEach(checkTool);
  return list;
}

function toList(tools: NamedTools): Tool[] {
  return Object.entries(tools).map(([name, tool]) => {
    if (!isObject(tool))
      throw invalidArgument(
        `The tool "${name}" is ${wordsFor(tool)}: expected an object with \`execute\` and a schema.`,
      );
    if ('inputSchema' in tool) return toTool(name, tool as unknown as AnyTool);
    const own = tool as unknown as Tool;
    return { ...own, execute: own.execute?.bind(own), name };
  });
}

/** Converts a tool of the AI SDK; throws `invalid_argument` when it has no `execute` and no provider executes it. */
function toTool(name: string, tool: AnyTool): Tool {
  const { description, inputSchema, strict, inputExamples, providerOptions, needsApproval } = tool;
  const isProvided = tool.type === 'provider' || tool.type === 'provider-defined';
  if (tool.execute === undefined && !isProvided)
    throw invalidArgument(`The tool "${name}" has no \`execute\`. Add it: no client executes tools here.`);
  const { standard, json } = readSchema(inputSchema, `the tool "${name}"`);
  const asked = (input: unknown) =>
    typeof needsApproval === 'function'
      ? Promise.resolve(needsApproval(input, { toolCallId: '', messages: [] }))
      : needsApproval === true;
  return {
    name,
    description: (typeof description === 'function' ? description({}) : description) ?? name,
    input: standard,
    inputJsonSchema: json,
    ...(isProvided && { provided: { id: tool.id as `${string}.${string}`, args: { ...tool.args } } }),
    modelOptions: {
      ...defined({ strict, inputExamples, providerOptions }),
    },
    ...(needsApproval !== undefined && { needsApproval: asked }),
    execute: (input, context) => execute(name, tool, input, context),
  };
}

async function execute(name: string, tool: AnyTool, input: unknown, context: ToolCall): Promise<ToolReturn> {
  if (tool.execute === undefined) throw new Error(`${name} is executed by the provider of the model, which did not.`);
  const { toolCallId, signal: abortSignal, context: given } = context;
  const options = { toolCallId, messages: [], abortSignal, context: given, experimental_context: given };
  const output = await readLast(await tool.execute(input, options), context.progress);
  if (tool.toModelOutput === undefined) return { context: output, result: output };
  return { context: textFor(await tool.toModelOutput({ toolCallId, input, output })), result: output };
}

/** Returns the last value of a tool that yields preliminary ones, which are reported. */
async function readLast(returned: unknown, report: (content: unknown) => void): Promise<unknown> {
  if (typeof returned !== 'object' || returned === null || !(Symbol.asyncIterator in returned)) return returned;
  let last: unknown;
  for await (const value of returned as AsyncIterable<unknown>) {
    last = value;
    report(value);
  }
  return last;
}

/** Converts an AI SDK tool output to the value for the model; media are only named. */
function textFor(output: unknown): unknown {
  if (!isObject(output)) return output;
  const { type, value } = output;
  if (type === 'error-text' || type === 'error-json')
    throw new Error(typeof value === 'string' ? value : JSON.stringify(value));
  if (type === 'execution-denied')
    throw new Error(typeof output['reason'] === 'string' ? output['reason'] : 'It was denied.');
  if (type !== 'content' || !Array.isArray(value)) return value;
  return value
    .map((part: Readonly<Record<string, unknown>>) =>
      typeof part['text'] === 'string' ? part['text'] : `[${JSON.stringify(part['mediaType'] ?? part['type'])}]`,
    )
    .join('\n');
}
