import type { AgentRunOptions, Agent, CallableAgent, InvokeRequest } from './contract/agent.ts';
import * as z from 'zod';
import { defined } from '../base/defined.ts';
import { optionsCheck } from '../base/options/check-options.ts';
import { field, having, name, signal } from '../base/options/option-fields.ts';
import { toInvokeParams } from './contract/invoke-params.ts';
import { ResultFold, type RunResult } from './contract/run-result.ts';

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
