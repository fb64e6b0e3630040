import { defined } from '../../base/defined.ts';
import * as z from 'zod';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { invalidArgument, optionsCheck, type OptionFields } from '../../base/options/check-options.ts';
import { field, name, number } from '../../base/options/option-fields.ts';
import type { Agent, InvokeParams, Tool, ToolCall } from '../contract/agent.ts';
import { checkAgentIds } from '../agent-ids.ts';
import { defineTool } from '../tool-definition/define-tool.ts';
import { Semaphore } from '../semaphore.ts';
import type { Budget, Lineage } from '../contract/lineage.ts';

/** An agent that a tool can start as a subagent. */
export interface Subagent {
  readonly agent: Agent;
  /** Its purpose, for the model that chooses. */
  readonly description: string;
}

export interface AgentToolOptions {
  /** The subagents; a function when one of them has this tool itself. */
  readonly agents: readonly Subagent[] | (() => readonly Subagent[]);
  /** Default: `agent`. */
  readonly name?: string;
  /** The nesting limit of subagents. Default: 3. */
  readonly maxDepth?: number;
  /** The number of concurrent subagents of one run. Default: 8. */
  readonly parallel?: number;
  /** The common budget of all subagents of one run and of theirs. */
  readonly budget?: Budget;
}

const checkOptions = optionsCheck<AgentToolOptions>('agentTool')(() => ({
  agents: field(
    value => Array.isArray(value) || typeof value === 'function',
    'an array of subagents, or a function that returns one',
  ),
  name: name().optional(),
  maxDepth: number().optional(),
  parallel: field(value => typeof value === 'number' && value >= 1, 'a number of at least 1').optional(),
  budget: z
    .strictObject({
      inputTokens: number().optional(),
      outputTokens: number().optional(),
      cost: number().optional(),
      runs: number().optional(),
    } satisfies OptionFields<Budget>)
    .optional(),
}));

const purpose = 'Starts a subagent on a separate task and returns its answer. Several calls run concurrently.';

/**
 * Creates a tool that starts subagents: each is a separate run, caused by the call. They run concurrently, follow the
 * permission rules of their parent, and end when it is stopped. Throws `invalid_argument` for invalid options.
 */
export function agentTool(options: AgentToolOptions): Tool {
  checkOptions(options);
  const { name = 'agent', maxDepth = 3, parallel = 8, budget } = options;
  const semaphores = new WeakMap<Lineage, Semaphore>();
  const agents = () => {
    const known = typeof options.agents === 'function' ? options.agents() : options.agents;
    const offered = known.map(({ agent }) => agent);
    checkAgentIds(`The tool "${name}"`, offered);
    return known;
  };
  if (typeof options.agents !== 'function' && agents().length === 0)
    throw invalidArgument(`The tool "${name}" needs at least one agent.`);
  const getSemaphore = (lineage: Lineage) => {
    const known = semaphores.get(lineage) ?? new Semaphore(parallel);
    semaphores.set(lineage, known);
    return known;
  };

  return defineTool({
    name,
    description: () => {
      const rows = agents().map(({ agent, description }) => `- ${agent.id}: ${description}`);
      return `${purpose} Agents:\n${rows.join('\n')}`;
    },
    input: z.object({
      task: z.string().min(1).describe('all it needs to know: it sees nothing else'),
      agent: z.string().optional().describe('which agent'),
      background: z.boolean().optional().describe('continue without waiting; you receive its result later'),
    }),
    category: 'agent',
    timeoutMs: Number.POSITIVE_INFINITY,
    repeatable: true,
    execute: async ({ task, agent: wanted, background = false }, context) => {
      const { agent } = choose(agents(), wanted);
      const request = { task, ...defined({ budget }) };
      const semaphore = getSemaphore(context.lineage);
      checkDepth(context, maxDepth);
      if (background) {
        const agentId = agent.id;
        const runId = context.runLater(limitedBy(semaphore, agent), request);
        const words = `The subagent "${agentId}" works in the background as ${runId}. You will receive its result when it ends.`;
        return { context: words, result: { agentId, runId, background: true } };
      }
      const release = await semaphore.acquire(context.signal);
      const result = await context.run(agent, request).finally(release);
      context.signal.throwIfAborted();
      if (result.error !== undefined) throw new Error(`The subagent "${agent.id}" failed: ${result.error.message}`);
      return { context: result.text, result: { agentId: agent.id, runId: result.runId, reason: result.reason } };
    },
  });
}

/** Returns the same agent, limited by a semaphore. */
function limitedBy(semaphore: Semaphore, agent: Agent): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const release = await semaphore.acquire(params.run.signal).catch(() => undefined);
    if (release === undefined) return;
    try {
      yield* agent.invoke(params);
    } finally {
      release();
    }
  }
  return { id: agent.id, ...defined({ abilities: agent.abilities }), invoke };
}

function choose(agents: readonly Subagent[], wanted: string | undefined): Subagent {
  const found = wanted === undefined ? agents[0] : agents.find(({ agent }) => agent.id === wanted);
  if (found !== undefined && (wanted !== undefined || agents.length === 1)) return found;
  const ids = agents.map(({ agent }) => agent.id).join(', ');
  throw new Error(
    wanted === undefined ? `Say which agent: ${ids}.` : `Unknown agent "${wanted}". Known agents: ${ids}.`,
  );
}

function checkDepth({ lineage }: ToolCall, maxDepth: number): void {
  if (lineage.depth < maxDepth) return;
  throw new Error(`Agents may start each other ${maxDepth} deep, and this is the last. Do the task yourself.`);
}
