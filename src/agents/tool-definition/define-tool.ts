import type { ToolReturn, ToolResult, ModelTool } from '../contract/tool-values.ts';
import type { ToolCall, Tool } from '../contract/agent.ts';
import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { toJsonSchema } from './read-schema.ts';
import { checkTool } from './check-tool.ts';

/** The definition of a tool, from which its types follow. */
export type ToolDefinition<
  Name extends string,
  Schema extends StandardSchemaV1,
  Return extends ToolReturn,
  Context = unknown,
> = Omit<Tool<Name, StandardSchemaV1.InferOutput<Schema>, unknown, Context>, 'input' | 'execute' | '~output'> & {
  readonly input: Schema;
  execute(input: StandardSchemaV1.InferOutput<Schema>, call: ToolCall<Context>): Promise<Return> | Return;
};

/**
 * Defines a tool whose types follow from its name, its schema and what it returns; throws `invalid_argument` for an
 * invalid definition.
 */
export function defineTool<
  const Name extends string,
  Schema extends StandardSchemaV1,
  Return extends ToolReturn,
  Context = unknown,
>(
  tool: ToolDefinition<Name, Schema, Return, Context>,
): Tool<Name, StandardSchemaV1.InferOutput<Schema>, ToolResult<Return>, Context> {
  checkTool(tool);
  return tool;
}

/** Whether an event is a call of a tool; its input then has the type of the tool's. */
export function isCallOf<Name extends string, Input>(
  event: AgentEvent,
  tool: Tool<Name, Input>,
): event is EventOf<'tool_call'> & { name: Name; input: Input } {
  return event.type === 'tool_call' && event.name === tool.name;
}

/** Returns the description of a tool for a model. */
export function describeTool(tool: Tool): ModelTool {
  const { name, input, provided, modelOptions } = tool;
  if (provided !== undefined) return { type: 'provider', name, ...provided };
  const description = typeof tool.description === 'string' ? tool.description : tool.description();
  const inputSchema = describeInput(tool);
  const before = described.get(input);
  if (before?.name === name && before.description === description && before.inputSchema === inputSchema) return before;
  const definition = { type: 'function' as const, name, description, inputSchema, ...modelOptions };
  described.set(input, definition);
  return definition;
}

/** Caches the last description by input schema, because many tools are created again for each run. */
const described = new WeakMap<Tool['input'], LanguageModelV3FunctionTool>();
const schemas = new WeakMap<Tool['input'], LanguageModelV3FunctionTool['inputSchema']>();

/** Returns the JSON Schema of a tool's input; throws `invalid_argument` when it has none. */
export function describeInput(tool: Tool): LanguageModelV3FunctionTool['inputSchema'] {
  if (tool.inputJsonSchema !== undefined) return tool.inputJsonSchema;
  const known = schemas.get(tool.input) ?? toJsonSchema(tool.input);
  if (known === undefined)
    throw new SingletreeError(
      'invalid_argument',
      `The tool "${tool.name}" has a schema that is not zod and has no JSON Schema: add its inputJsonSchema.`,
    );
  schemas.set(tool.input, known);
  return known;
}

/** A value as parsed by a schema, or the problem with it. */
type Checked = { readonly value: unknown } | { readonly problem: string };

/** Returns the input as parsed by the tool's schema, or the problem with it. */
export async function checkInput(tool: Tool, input: unknown): Promise<Checked> {
  // Copy the input, so that a tool that modifies it does not change the call in later model requests.
  const checked = validate(tool.input, structuredClone(input));
  const result = checked instanceof Promise ? await checked : checked;
  return 'value' in result ? result : { problem: `The input is not valid: ${result.problem}` };
}

/** Returns the parsed value or the problem with it; a promise only when the schema is asynchronous. */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  const checked = schema['~standard'].validate(value);
  return checked instanceof Promise ? checked.then(toOutcome) : toOutcome(checked);
}

function toOutcome(checked: StandardSchemaV1.Result<unknown>): Checked {
  if (checked.issues === undefined) return { value: checked.value };
  const issues = checked.issues.map(({ path = [], message }) => {
    const field = path.map(key => String(typeof key === 'object' ? key.key : key)).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  return { problem: `${issues.join('; ')}.` };
}
