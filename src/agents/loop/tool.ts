import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { SingletreeError } from '../../events/index.ts';

/** What a tool is told beside its input. */
export interface ToolContext {
  readonly runId: string;
  readonly toolCallId: string;
  /** Aborts when the run is stopped or the tool's time is up. */
  readonly signal: AbortSignal;
  /** Shows progress; a report that was not yet seen is replaced by the next one. */
  readonly progress: (content: unknown) => void;
}

/** What a tool returns: `context` is for the model, `result` for programs. Any other value is both. */
export type ToolReturn =
  | { readonly context: unknown; readonly result?: unknown }
  | string
  | number
  | boolean
  | null
  | undefined;

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly description: string;
  /** zod, or any Standard Schema together with `inputJsonSchema`. */
  readonly input: StandardSchemaV1<unknown, Input>;
  /** What the model is told about the input, when the schema cannot tell it. */
  readonly inputJsonSchema?: Record<string, unknown>;
  /** For permissions by category, such as `read`, `edit` or `execute`. */
  readonly category?: string;
  /** Whether it runs a shell command, in its argument `command` or the one named here. */
  readonly shell?: boolean | string;
  /** Its longest run in milliseconds; the loop's when absent. */
  readonly timeoutMs?: number;
  execute(input: Input, context: ToolContext): Promise<ToolReturn> | ToolReturn;
}

/** A tool whose input type follows from its schema. */
export function defineTool<Schema extends StandardSchemaV1>(
  tool: Omit<Tool<StandardSchemaV1.InferOutput<Schema>>, 'input'> & { readonly input: Schema },
): Tool {
  return tool;
}

/** What a model is told about a tool; throws `invalid_argument` when its input cannot be described. */
export function describeTool(tool: Tool): LanguageModelV3FunctionTool {
  const inputSchema = tool.inputJsonSchema ?? jsonSchemaOf(tool);
  return {
    type: 'function',
    name: tool.name,
    description: tool.description,
    inputSchema: inputSchema as LanguageModelV3FunctionTool['inputSchema'],
  };
}

function jsonSchemaOf({ name, input }: Tool): Record<string, unknown> {
  if (!('_zod' in input))
    throw new SingletreeError(
      'invalid_argument',
      `The tool "${name}" has a schema that is not zod: give its inputJsonSchema too.`,
    );
  const { $schema: _, ...schema } = z.toJSONSchema(input as unknown as z.ZodType, { io: 'input' });
  return schema;
}

/** The input as the tool's schema gives it, or what is wrong with it. */
export async function checkInput(tool: Tool, input: unknown): Promise<{ value: unknown } | { problem: string }> {
  const checked = await tool.input['~standard'].validate(input);
  if (checked.issues === undefined) return { value: checked.value };
  const issues = checked.issues.map(({ path = [], message }) => {
    const field = path.map(key => String(typeof key === 'object' ? key.key : key)).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  return { problem: `The input is not valid: ${issues.join('; ')}.` };
}
