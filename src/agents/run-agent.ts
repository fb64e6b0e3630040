import * as z from 'zod';
import { defined } from '../events/defined.ts';
import { optionsCheck } from '../events/options/check-options.ts';
import { field, having, name, signal } from '../events/options/option-fields.ts';
import type { EventLog } from '../log/index.ts';
import { type Agent, type CallableAgent, invokeParams, type InvokeRequest } from './agent.ts';
import { ResultFold, type RunResult } from './run-result.ts';

/** Runs agents on a log: a `Supervisor` is one. */
export interface RunHost {
  readonly log: Pick<EventLog, 'createThread'>;
  start(
    threadId: string,
    options: { readonly agent: Agent; readonly content: string; readonly model?: string; readonly context?: unknown },
  ): Promise<{ readonly runId: string; readonly result: Promise<RunResult> }>;
  abort(runId: string): Promise<void>;
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

const checkOptions = optionsCheck(
  'agent.run',
  () =>
    ({
      supervisor: having(['start', 'abort'], 'a `new Supervisor({ log })`').optional(),
      threadId: name().optional(),
      model: name().optional(),
      context: z.unknown().optional(),
      signal: signal().optional(),
    }) satisfies Record<keyof AgentRunOptions, z.ZodType>,
);
const checkPrompt = optionsCheck('agent.run', () => ({
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
  const { supervisor, model, context, signal: stop } = options;
  if (supervisor === undefined) {
    const params = invokeParams({
      messages: [{ role: 'user', content: prompt }],
      ...defined({ model, context, signal: stop }),
    });
    const fold = new ResultFold(params.runId);
    for await (const event of agent.invoke(params)) fold.take(event);
    return fold.result();
  }
  const threadId = options.threadId ?? (await supervisor.log.createThread()).id;
  stop?.throwIfAborted();
  const { runId, result } = await supervisor.start(threadId, {
    agent,
    content: prompt,
    ...defined({ model, context }),
  });
  const abort = () => void supervisor.abort(runId).catch(() => {});
  stop?.addEventListener('abort', abort, { once: true });
  if (stop?.aborted === true) abort();
  return result.finally(() => stop?.removeEventListener('abort', abort));
}
