import type { LanguageModelV3FunctionTool, LanguageModelV3ProviderTool } from '@ai-sdk/provider';
import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Agent, RelayAnswer } from '../agent.ts';
import type { RunOrigin } from '../invoke-params.ts';
import type { RunResult } from '../run-result.ts';
import type { Budget, Lineage } from '../subagents/lineage.ts';
import type { RequestPaths } from '../permissions/tool-request.ts';
import type { PathAccess } from '../workspace/path-access.ts';
import type { ResolvedPath } from '../workspace/resolved-path.ts';
import { jsonSchemaOf } from '../schema/read-schema.ts';
import { checkTool } from './check-tool.ts';

/** The call of a tool: what it receives with its input. */
export interface ToolCall<Context = unknown> extends RunOrigin<Context> {
  readonly toolCallId: string;
  /** Aborts when the run is stopped or the tool reaches its time limit. */
  readonly signal: AbortSignal;
  /**
   * Reports progress. A report that was not read yet is replaced by the next one, unless it is a milestone: an object
   * with a `label`, a `phaseIndex` or a `milestone`.
   */
  readonly progress: (content: unknown) => void;
  /** Adds an event to the run; resolves when it is stored. */
  readonly emit: (event: ToolEvent) => Promise<void>;
  /** Asks a person and waits for the answer; returns undefined when nobody can be asked. */
  readonly ask: (question: ToolQuestion) => Promise<RelayAnswer | undefined>;
  /** How many questions the call asked before its process ended: asking them again returns their answers. */
  readonly asked: number;
  /** Runs an agent as a subagent of this call and waits for its result; its events are part of the stream. */
  readonly run: (agent: Agent, request: SubagentRequest) => Promise<RunResult>;
  /**
   * Starts a background subagent, which may outlive the call, and returns its run id. The model receives its result
   * when it ends; the run does not end before it.
   */
  readonly runLater: (agent: Agent, request: SubagentRequest) => string;
  /** Extends the call until the work has settled, also when the call is aborted. */
  readonly waitUntil: (work: Promise<unknown>) => void;
  /** Marks the processes that the call starts, so that a takeover of the run can end them. */
  readonly runMark?: string | undefined;
  /** What the surface that runs it passes: the `RequestContext` of a Harness, the `RuntimeContext` of a runtime. */
  readonly request: unknown;
  /** The position of the run among its ancestors, and the usage of its subagents. */
  readonly lineage: Lineage;
  /**
   * The workspace paths of the call as resolved when it was permitted; absent when the permission was decided earlier.
   */
  readonly paths?: RequestPaths;
  /** The paths outside the workspace that a person granted to the call. */
  readonly access?: readonly PathAccess[];
  /**
   * Whether a path rule would keep this call from another path than the one in its argument, for tools that discover
   * paths themselves. Absent when there are no rules.
   */
  readonly isGuarded?: (argument: string, path: ResolvedPath) => boolean;
}

type Emitted = 'custom' | 'file_registered' | 'warning' | 'plan_status' | 'tasks' | 'mode_changed';

/** The events that a tool may add to its run. */
export type ToolEvent = WithoutEnvelope<Extract<AgentEvent, { type: Emitted }>>;

/** A question of a tool to a person. */
export type ToolQuestion = WithoutEnvelope<
  Exclude<Extract<AgentEvent, { type: 'relay' }>, { relayKind: 'permission' }>,
  'type' | 'id' | 'toolCallId'
>;

type WithoutEnvelope<Event, More extends string = never> = Event extends unknown
  ? Omit<Event, 'runId' | 'seq' | 'ts' | More>
  : never;

/** A request to a subagent. */
export interface SubagentRequest {
  /** The task; the subagent sees nothing else of the conversation. */
  readonly task: string;
  readonly model?: string;
  readonly tools?: readonly Tool[];
  /** Stops the subagent when all subagents of this run together have used this much. */
  readonly budget?: Budget;
}

/**
 * The return value of a tool: an object with `context` has what is for the model there, and what is for programs in
 * `result`. Any other JSON value serves as both.
 */
export type ToolReturn = { readonly context: unknown; readonly result?: unknown } | JsonReturn;

/** A value that JSON can carry, as far as types can say it: an interface has no index signature. */
type JsonReturn = object | string | number | boolean | null | undefined;

/** What programs get of a tool's return value. */
export type ToolResult<Return> = Return extends { readonly context: infer Context }
  ? Return extends { readonly result: infer Result }
    ? Result
    : Context
  : Return;

/** A tool of a name, with the input that its schema gives and the result that programs get. */
export interface Tool<Name extends string = string, Input = unknown, Output = unknown, Context = unknown> {
  readonly name: Name;
  /** The description for the model; a function is called at the start of each run. */
  readonly description: string | (() => string);
  /** zod, a Standard Schema with a JSON Schema, or any Standard Schema together with `inputJsonSchema`. */
  readonly input: StandardSchemaV1<unknown, Input>;
  /** The JSON Schema of the input for the model, when `inputSchema` cannot be converted. */
  readonly inputJsonSchema?: Record<string, unknown>;
  /**
   * The schema of the `context` it needs: a run that has none fails with `context_missing` before any call, one that does
   * not match with `invalid_argument`. The call has the value that the schema returns.
   */
  readonly context?: StandardSchemaV1<unknown, Context>;
  /** The category for permission rules, such as `read`, `edit` or `execute`. */
  readonly category?: string;
  /** Whether it runs a shell command, in its argument `command` or the one named here. */
  readonly shell?: boolean | string;
  /**
   * Returns the workspace paths that a call names, by argument name: permission rules on these arguments are compared
   * with the resolved paths, and a person is asked for access to those outside the workspace. The call fails when it
   * rejects.
   */
  paths?(input: Input): Promise<RequestPaths>;
  /** The time limit in milliseconds. Default: the limit of the loop; no limit when infinite. */
  readonly timeoutMs?: number;
  /**
   * Whether a started call is executed again after its process ended: its questions and subagents are resumed.
   * `suspended`: only a call whose last question, a suspension, has no answer.
   */
  readonly repeatable?: boolean | 'suspended';
  /** Whether a person is asked about a call that the rules allow; an earlier grant still applies. */
  readonly needsApproval?: boolean | NeedsApproval<Input>['decide'];
  /**
   * Returns the change that a call would make, which a person reads who is asked about it. The call fails before anybody
   * is asked when it rejects.
   */
  preview?(input: Input, call: Pick<ToolCall, 'runId'>): Promise<CallPreview>;
  /** The provider's own definition, for a tool that the provider defines. */
  readonly provided?: Pick<LanguageModelV3ProviderTool, 'id' | 'args'>;
  /** Further options of the description for the model. */
  readonly modelOptions?: Pick<LanguageModelV3FunctionTool, 'strict' | 'inputExamples' | 'providerOptions'>;
  execute(input: Input, call: ToolCall<Context>): Promise<ToolReturn> | ToolReturn;
  /** Only for types: what programs get. */
  readonly '~output'?: Output;
}

/** The change that a call would make to files, as a unified diff. */
export interface CallPreview {
  readonly diff?: string;
}

/** A method, so that a tool of any input is a `Tool`. */
interface NeedsApproval<Input> {
  decide(input: Input): boolean | Promise<boolean>;
}

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

/** The description of a tool for a model. */
export type ModelTool = LanguageModelV3FunctionTool | LanguageModelV3ProviderTool;

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

/** The last description by input schema: many tools are created anew for each run. */
const described = new WeakMap<Tool['input'], LanguageModelV3FunctionTool>();
const schemas = new WeakMap<Tool['input'], LanguageModelV3FunctionTool['inputSchema']>();

/** Returns the JSON Schema of a tool's input; throws `invalid_argument` when it has none. */
export function describeInput(tool: Tool): LanguageModelV3FunctionTool['inputSchema'] {
  if (tool.inputJsonSchema !== undefined) return tool.inputJsonSchema;
  const known = schemas.get(tool.input) ?? jsonSchemaOf(tool.input);
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
  // A copy: what a tool does with its input must not change the call that models are sent.
  const checked = validate(tool.input, structuredClone(input));
  const result = checked instanceof Promise ? await checked : checked;
  return 'value' in result ? result : { problem: `The input is not valid: ${result.problem}` };
}

/** Returns a value as parsed by a schema, or the problem with it; a promise only when the schema waits for something. */
export function validate(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  const checked = schema['~standard'].validate(value);
  return checked instanceof Promise ? checked.then(outcomeOf) : outcomeOf(checked);
}

function outcomeOf(checked: StandardSchemaV1.Result<unknown>): Checked {
  if (checked.issues === undefined) return { value: checked.value };
  const issues = checked.issues.map(({ path = [], message }) => {
    const field = path.map(key => String(typeof key === 'object' ? key.key : key)).join('.');
    return field === '' ? message : `${field}: ${message}`;
  });
  return { problem: `${issues.join('; ')}.` };
}
