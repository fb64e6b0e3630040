import * as z from 'zod';
import type { AgentEvent } from '../../events/index.ts';
import { type CallableAgent, type InvokeParams, invokeParams, type InvokeRequest } from '../agent.ts';
import { invalidArgument, optionsCheck } from '../../events/options/check-options.ts';
import { field, isObject, number, text } from '../../events/options/option-fields.ts';
import { agentNamed, modelOptions, modelSource } from '../model/call/model-options.ts';
import type { ModelSettings } from '../model/call/model-settings.ts';
import type { ModelSource } from '../model/registry/model-source.ts';
import type { ModelRegistry } from '../model/registry/registry.ts';
import type { RetryOptions } from '../model/call/retry.ts';
import { checkSources, type PermissionRuleSet } from '../permissions/index.ts';
import { compactionOption, type CompactionOptions } from '../memory/compaction.ts';
import { memoryField, type Memory } from '../memory/memory.ts';
import { type Limits, limitsField } from '../limits/limits.ts';
import { startEvent } from '../start-event.ts';
import { EventChannel } from './event-channel.ts';
import { type AgentTools, toolList } from './ai-sdk-tool.ts';
import { Loop } from './loop.ts';
import { checkOutput } from './structured-output.ts';
import { type Stop, stopWith } from './stop-with.ts';
import { describeInput, describeTool, type Tool } from './tool.ts';

export interface LoopAgentOptions {
  /** Default: `loop`. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** The system instructions of the model; a function is called at the start of each run and after each compaction. */
  readonly instructions?: string | (() => string);
  /**
   * The tools of the agent: a list, or tools by name, of the AI SDK too; a function is called at the start of each run.
   */
  readonly tools?: AgentTools | (() => AgentTools);
  /**
   * The folder its tools work in. The first event of a run carries it, and relative paths of its activity refer to it.
   */
  readonly cwd?: string;
  /** The calls that run without asking. Default: the rules of the caller; without any, every call is asked about. */
  readonly permissions?: PermissionRuleSet;
  /** The number of model calls before the model has to conclude. Default: 50. */
  readonly maxIterations?: number;
  /** The number of tools that execute concurrently. Default: 8. */
  readonly parallel?: number;
  /** The time limit of a tool in milliseconds. Default: 10 minutes. */
  readonly toolTimeoutMs?: number;
  /** The number of characters above which a tool output is shortened for the model. Default: 30,000. */
  readonly maxOutputLength?: number;
  /**
   * The schema of the last answer: zod, a Standard Schema with a JSON Schema, a schema of the AI SDK, or a JSON Schema.
   * The value is the `output` of `harness_end`. An answer that does not match is asked for again twice, then the run
   * fails with `invalid_output`.
   */
  readonly output?: object;
  /** When to summarise the beginning of a long conversation; `false` for never. */
  readonly compaction?: CompactionOptions | false;
  /** Observes the conversation in the background instead of compacting it; needs a supervisor, which runs the observer. */
  readonly memory?: Memory;
  /**
   * Limits of spending; reaching one ends the run with `limit_reached`. Those of a thread and a day count what the log of
   * the supervisor has.
   */
  readonly limits?: Limits;
  /** The settings of model calls, such as temperature and provider options. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

/** The abort reason of a run that has ended. */
const runEnded = new Error('The run has ended.');

/** The options of an agent that runs in the loop. */
export const loopAgentFields = () =>
  ({
    id: text().optional(),
    model: modelSource(),
    ...modelOptions(),
    instructions: field(
      value => typeof value === 'string' || typeof value === 'function',
      'a text, or a function that returns one',
    ).optional(),
    tools: field(
      value => Array.isArray(value) || isObject(value) || typeof value === 'function',
      'an array of tools, an object of tools by name, or a function that returns one of them',
    ).optional(),
    cwd: text().optional(),
    // The rules are checked with their own error.
    permissions: z.unknown().optional(),
    maxIterations: number().optional(),
    parallel: field(value => typeof value === 'number' && value >= 1, 'a number of at least 1').optional(),
    toolTimeoutMs: number().optional(),
    maxOutputLength: number().optional(),
    output: field(
      value => isObject(value) || typeof value === 'function',
      'a zod schema, another Standard Schema, or a JSON Schema',
    ).optional(),
    compaction: compactionOption().optional(),
    memory: memoryField().optional(),
    limits: limitsField().optional(),
  }) satisfies Record<keyof LoopAgentOptions, z.ZodType>;

const checkOptions = optionsCheck('loopAgent', loopAgentFields, agentNamed);

/**
 * Creates an agent that calls a model, executes the tools it asks for, and repeats until it has an answer. Throws
 * `invalid_argument` for invalid options and `invalid_permission_rule` for invalid rules.
 */
export function loopAgent(options: LoopAgentOptions): CallableAgent & Required<Pick<CallableAgent, 'requestOf'>> {
  checkOptions(options);
  const { id = 'loop', permissions, tools: own = [] } = options;
  if (options.output !== undefined) checkOutput(options.output, id);
  if (permissions !== undefined) checkSources([permissions]);
  if (typeof own !== 'function') for (const tool of toolsByName(options).values()) describeInput(tool);
  /** Returns the agent's own tools and those of the run, without withheld ones. */
  const toolsOf = ({ tools: more = [], withheldTools = [] }: InvokeParams) => {
    const tools = new Map([...toolsByName(options), ...more.map(tool => [tool.name, tool] as const)]);
    for (const name of withheldTools) tools.delete(name);
    return { tools, described: [...tools.values()].map(describeTool) };
  };

  async function run(params: InvokeParams, channel: EventChannel, stop: Stop): Promise<void> {
    const { runId, resume } = params;
    if (resume?.endedBy !== undefined) return;
    if (resume?.agentId === undefined) await channel.put(startEvent(id, params, options.cwd));
    const loop = new Loop(options, toolsOf(params), { ...params, signal: stop.signal }, channel);
    const reason = await loop.run();
    if (!loop.hasRunTools) stop.leave();
    const output = loop.output !== undefined && { output: loop.output };
    await channel.put({ type: 'harness_end', runId, agentId: id, reason, ...output });
  }
  function invoke(request: InvokeRequest): AsyncIterable<AgentEvent> {
    const params = invokeParams(request);
    const stop = stopWith(params.signal);
    const end = () => stop.abort(runEnded);
    const channel = new EventChannel();
    return channel.stream(() => run(params, channel, stop).finally(end), end);
  }
  const categoryOf = (toolName: string) => toolsByName(options).get(toolName)?.category;
  const requestOf = (request: InvokeRequest) => {
    const params = invokeParams(request);
    return new Loop(options, toolsOf(params), params, new EventChannel()).request();
  };
  return { id, resumable: true, hasOwnModel: typeof options.model !== 'string', categoryOf, requestOf, invoke };
}

function toolsByName({ id = 'loop', tools = [] }: LoopAgentOptions): Map<string, Tool> {
  const list = toolList(typeof tools === 'function' ? tools() : tools);
  const byName = new Map(list.map(tool => [tool.name, tool]));
  if (byName.size !== list.length) throw invalidArgument(`The agent "${id}" has two tools of the same name.`);
  return byName;
}
