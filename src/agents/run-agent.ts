import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { field, having, name, signal } from '../base/options/option-fields.ts';
import type { Agent, CallableAgent } from './agent.ts';
import { toInvokeParams, type InvokeRequest } from './invoke-params.ts';
import { ResultFold, type RunResult } from './run-result.ts';

/** Runs agents on a log: a `Supervisor` is one. */
export interface RunHost {
  run(agent: Agent, prompt: string, options: Omit<AgentRunOptions, 'supervisor'>): Promise<RunResult>;
}

/** How `agent.run` runs an agent. */
export interface AgentRunOptions {
  /** Stores the run and lets people answer; without it nothing is stored, and what would be asked is denied. */
  readonly supervisor?: RunHost;
  /** The thread of the supervisor's log that the prompt continues; a new one by default. */
  readonly threadId?: string;
  /** A `provider/model` id to use instead of the agent's own. */
  readonly model?: string;
  /** What its tools and instructions get as their `context`. */
  readonly context?: unknown;
  /** Aborts the run. */
  readonly signal?: AbortSignal;
}

const checkOptions = optionsCheck<AgentRunOptions>('agent.run')(() => ({
  supervisor: having(['run', 'start'], 'a `new Supervisor({ log })`').optional(),
  threadId: name().optional(),
  model: name().optional(),
  context: z.unknown().optional(),
  signal: signal().optional(),
}));
const checkPrompt = optionsCheck('agent.run')(() => ({
  prompt: field(value => typeof value === 'string' && value !== '', 'a prompt that is not empty'),
}));

/** Adds `run` to an agent. */
export function withRun<Output>(agent: Omit<CallableAgent, 'run' | '~output'>): CallableAgent<Output> {
  const run = (prompt: string, options: AgentRunOptions = {}) => runAgent(agent, prompt, options);
  return { ...agent, run: run as CallableAgent<Output>['run'] };
}

async function runAgent(
  agent: Agent & { invoke(request: InvokeRequest): AsyncIterable<unknown> },
  prompt: string,
  options: AgentRunOptions,
): Promise<RunResult> {
  checkPrompt({ prompt });
  checkOptions(options);
  const { supervisor, ...others } = options;
  if (supervisor !== undefined) return supervisor.run(agent, prompt, others);
  const { model, context, signal: stop } = others;
  const messages = [{ role: 'user' as const, content: prompt }];
  const run = defined({ model, context, signal: stop });
  const params = toInvokeParams({ run, conversation: { messages } });
  const fold = new ResultFold(params.run.runId);
  for await (const event of agent.invoke(params)) fold.take(event);
  return fold.result();
}
