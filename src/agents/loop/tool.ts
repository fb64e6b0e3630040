import type { LanguageModelV3FunctionTool } from '@ai-sdk/provider';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import * as z from 'zod';
import { type AgentEvent, SingletreeError } from '../../events/index.ts';
import type { Agent, RelayAnswer } from '../agent.ts';
import type { ChildResult } from '../subagents/child-run.ts';
import type { Budget, Lineage } from '../subagents/lineage.ts';
import type { RequestPaths } from '../permissions/index.ts';
import type { ResolvedPath } from '../workspace/index.ts';
import { checkTool } from './check-tool.ts';

/** What a tool is told beside its input. */
export interface ToolContext {
  readonly runId: string;
  readonly toolCallId: string;
  /** Aborts when the run is stopped or the tool's time is up. */
  readonly signal: AbortSignal;
  /** Shows progress; a report that was not yet seen is replaced by the next one. */
  readonly progress: (content: unknown) => void;
  /** Adds an event to the run; resolves when it is stored. */
  readonly emit: (event: ToolEvent) => Promise<void>;
  /** Asks a person and waits for the answer; undefined when there is nobody to ask. */
  readonly ask: (question: ToolQuestion) => Promise<RelayAnswer | undefined>;
  /** Runs an agent as a subagent of this call and waits for what it says; its events are part of the stream. */
  readonly run: (agent: Agent, request: SubagentRequest) => Promise<ChildResult>;
  /**
   * Starts a subagent that goes on after the call has its result, and returns its run id. The model is told what it
   * says when it ends; the run does not end before it.
   */
  readonly runLater: (agent: Agent, request: SubagentRequest) => string;
  /** Marks the processes that the call starts, so that whoever takes the run over can end them. */
  readonly runMark?: string | undefined;
  /** What the run was started with, for its tools. */
  readonly context: unknown;
  /** Where the run stands among the runs that started each other, and what its subagents used. */
  readonly lineage: Lineage;
  /** The workspace paths of the call as they were resolved when it was permitted; absent when it was not decided now. */
  readonly paths?: RequestPaths;
  /**
   * Whether a rule that names a path keeps this call from another path in the place of the one in its argument: for
   * tools that find paths by themselves. Absent when nothing decides.
   */
  readonly isGuarded?: (argument: string, path: ResolvedPath) => boolean;
}

type Emitted = 'custom' | 'file_registered' | 'warning' | 'plan_status' | 'tasks';

/** What a tool may add to the run it is called in. */
export type ToolEvent = WithoutEnvelope<Extract<AgentEvent, { type: Emitted }>>;

/** What a tool may ask a person. */
export type ToolQuestion = WithoutEnvelope<
  Exclude<Extract<AgentEvent, { type: 'relay' }>, { relayKind: 'permission' }>,
  'type' | 'id' | 'toolCallId'
>;

type WithoutEnvelope<Event, More extends string = never> = Event extends unknown
  ? Omit<Event, 'runId' | 'seq' | 'ts' | More>
  : never;

/** What a subagent is asked. */
export interface SubagentRequest {
  /** The task; it sees nothing else of the conversation. */
  readonly task: string;
  readonly model?: string;
  readonly tools?: readonly Tool[];
  /** It is stopped when all subagents of this run together have used this much. */
  readonly budget?: Budget;
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
  /** What the model is told about it; a function is asked at the start of each run. */
  readonly description: string | (() => string);
  /** zod, or any Standard Schema together with `inputJsonSchema`. */
  readonly input: StandardSchemaV1<unknown, Input>;
  /** What the model is told about the input, when the schema cannot tell it. */
  readonly inputJsonSchema?: Record<string, unknown>;
  /** For permissions by category, such as `read`, `edit` or `execute`. */
  readonly category?: string;
  /** Whether it runs a shell command, in its argument `command` or the one named here. */
  readonly shell?: boolean | string;
  /**
   * The workspace paths that a call names, by the name of the argument: permission rules over these arguments are
   * compared with the paths as the workspace resolves them. The call fails when it rejects.
   */
  paths?(input: Input): Promise<RequestPaths>;
  /** Its longest run in milliseconds; the loop's when absent, no limit when infinite. */
  readonly timeoutMs?: number;
  /** Whether a call that had started is executed again after its process ended: what it asked and ran is taken up again. */
  readonly repeatable?: boolean;
  execute(input: Input, context: ToolContext): Promise<ToolReturn> | ToolReturn;
}

/** A tool whose input type follows from its schema; throws `invalid_argument` for what cannot be one. */
export function defineTool<Schema extends StandardSchemaV1>(
  tool: Omit<Tool<StandardSchemaV1.InferOutput<Schema>>, 'input'> & { readonly input: Schema },
): Tool {
  checkTool(tool);
  return tool;
}

/** What a model is told about a tool. */
export function describeTool(tool: Tool): LanguageModelV3FunctionTool {
  const { name, input } = tool;
  const description = typeof tool.description === 'string' ? tool.description : tool.description();
  const inputSchema = describeInput(tool);
  const before = described.get(input);
  if (before?.name === name && before.description === description && before.inputSchema === inputSchema) return before;
  const told = { type: 'function' as const, name, description, inputSchema };
  described.set(input, told);
  return told;
}

/** What was told last about a tool with this input: many tools are made anew for each run. */
const described = new WeakMap<Tool['input'], LanguageModelV3FunctionTool>();
const schemas = new WeakMap<Tool['input'], LanguageModelV3FunctionTool['inputSchema']>();

/** What a model is told about the input of a tool; throws `invalid_argument` when it cannot be described. */
export function describeInput(tool: Tool): LanguageModelV3FunctionTool['inputSchema'] {
  if (tool.inputJsonSchema !== undefined) return tool.inputJsonSchema;
  const known = schemas.get(tool.input) ?? jsonSchemaOf(tool);
  schemas.set(tool.input, known);
  return known;
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
