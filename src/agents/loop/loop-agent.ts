import * as z from 'zod';
import type { AgentEvent } from '../../events/index.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { invalidArgument, optionsCheck } from '../../events/options/check-options.ts';
import { field, isObject, number, text } from '../../events/options/option-fields.ts';
import { agentNamed, modelOptions, modelSource } from '../model/model-options.ts';
import type { ModelSettings } from '../model/model-settings.ts';
import type { ModelSource } from '../model/model-source.ts';
import type { ModelRegistry } from '../model/registry.ts';
import type { RetryOptions } from '../model/retry.ts';
import { checkSources, type PermissionRules } from '../permissions/index.ts';
import { checkTool } from './check-tool.ts';
import type { CompactionOptions } from './compaction.ts';
import { startEvent } from '../start-event.ts';
import { EventChannel } from './event-channel.ts';
import { Loop } from './loop.ts';
import { type Stop, stopWith } from './stop-with.ts';
import { describeInput, describeTool, type Tool } from './tool.ts';

export interface LoopAgentOptions {
  /** `loop` when absent. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** What the model is told first. */
  readonly instructions?: string;
  /** What it may use; a function is asked at the start of each run. */
  readonly tools?: readonly Tool[] | (() => readonly Tool[]);
  /** The folder its tools work in, told at the start of a run: relative paths of its activity are in it. */
  readonly cwd?: string;
  /** What may run without asking; when absent the rules of whoever starts the run hold, and without any everything is asked. */
  readonly permissions?: PermissionRules;
  /** How many times the model is called before it has to conclude; 50 when absent. */
  readonly maxIterations?: number;
  /** How many tools execute at once; 8 when absent. */
  readonly parallel?: number;
  /** The longest run of a tool in milliseconds; 10 minutes when absent. */
  readonly toolTimeoutMs?: number;
  /** Outputs longer than this many characters are shortened for the model; 30,000 when absent. */
  readonly maxOutputLength?: number;
  /** When the beginning of a long conversation is summarised; `false` for never. */
  readonly compaction?: CompactionOptions | false;
  /** How the model answers, such as its temperature and its provider's own options. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** Where model ids are looked up; the environment's when absent. */
  readonly registry?: ModelRegistry;
}

/** The reason of the signal of a run that has ended. */
const runIsOver = new Error('The run is over.');

const checkOptions = optionsCheck(
  'loopAgent',
  () =>
    ({
      id: text().optional(),
      model: modelSource(),
      ...modelOptions(),
      tools: field(
        value => Array.isArray(value) || typeof value === 'function',
        'a list of tools, or a function that returns one',
      ).optional(),
      cwd: text().optional(),
      // The rules are checked with their own error.
      permissions: z.unknown().optional(),
      maxIterations: number().optional(),
      parallel: field(value => typeof value === 'number' && value >= 1, 'a number of at least 1').optional(),
      toolTimeoutMs: number().optional(),
      maxOutputLength: number().optional(),
      compaction: field(value => value === false || isObject(value), 'an object, or false').optional(),
    }) satisfies Record<keyof LoopAgentOptions, z.ZodType>,
  agentNamed,
);

/**
 * An agent that calls a model, executes the tools it asks for, and goes on until it has an answer. Throws
 * `invalid_argument` for options that it does not take, and `invalid_permission_rule`.
 */
export function loopAgent(options: LoopAgentOptions): Agent {
  checkOptions(options);
  const { id = 'loop', permissions, tools: own = [] } = options;
  if (permissions !== undefined) checkSources([permissions]);
  if (typeof own !== 'function') {
    own.forEach(checkTool);
    for (const tool of toolsByName(options).values()) describeInput(tool);
  }
  /** The agent's own tools, with those of one run, without those that are withheld in it. */
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
    await channel.put({ type: 'harness_end', runId, agentId: id, reason });
  }
  function invoke(params: InvokeParams): AsyncIterable<AgentEvent> {
    const stop = stopWith(params.signal);
    const end = () => stop.abort(runIsOver);
    const channel = new EventChannel();
    return channel.stream(() => run(params, channel, stop).finally(end), end);
  }
  return { id, resumable: true, invoke };
}

function toolsByName({ id = 'loop', tools = [] }: LoopAgentOptions): Map<string, Tool> {
  const list = typeof tools === 'function' ? tools() : tools;
  if (list !== tools) list.forEach(checkTool);
  const byName = new Map(list.map(tool => [tool.name, tool]));
  if (byName.size !== list.length) throw invalidArgument(`The agent "${id}" has two tools of the same name.`);
  return byName;
}
