import * as z from 'zod';
import type { AgentEvent } from '../../events/index.ts';
import type { Agent, InvokeParams } from '../agent.ts';
import { optionsCheck } from '../../events/options/check-options.ts';
import { field, number, object, text } from '../../events/options/option-fields.ts';
import { checkCallable } from '../loop/check-tool.ts';
import { stopWith } from '../loop/stop-with.ts';
import { startEvent } from '../start-event.ts';
import type { Tool } from '../loop/tool.ts';
import { agentNamed, modelOptions, modelSource } from '../model/model-options.ts';
import type { ModelSettings } from '../model/model-settings.ts';
import type { ModelSource } from '../model/model-source.ts';
import type { ModelRegistry } from '../model/registry.ts';
import type { RetryOptions } from '../model/retry.ts';
import { checkSources, type PermissionRules } from '../permissions/index.ts';
import type { QueryCount } from './queries.ts';
import { functionsOf } from './repl-tools.ts';
import { type RlmLimits, rlmLimits } from './rlm-limits.ts';
import { RlmRun } from './rlm-run.ts';

export interface RlmAgentOptions {
  /** `rlm` when absent. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** What answers `llm_query`; the agent's model when absent. */
  readonly subModel?: ModelSource;
  /** What the model is told beside how its REPL works. */
  readonly instructions?: string;
  /** The long input: a string in the REPL, of which the model is sent the size and the beginning. Empty when absent. */
  readonly context?: string | ((params: InvokeParams) => Promise<string> | string);
  /** What code may call, each tool as a function of its name; a shell tool takes the command as a string, too. */
  readonly tools?: readonly Tool[];
  /** What code may call without asking; everything is asked when absent. */
  readonly permissions?: PermissionRules;
  /** How many times the model is called before it has to conclude; 30 when absent. */
  readonly maxIterations?: number;
  readonly limits?: Partial<RlmLimits>;
  /** How the models answer. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** Where model ids are looked up; the environment's when absent. */
  readonly registry?: ModelRegistry;
}

const checkOptions = optionsCheck(
  'rlmAgent',
  () =>
    ({
      id: text().optional(),
      model: modelSource(),
      subModel: modelSource().optional(),
      ...modelOptions(),
      context: field(
        value => typeof value === 'string' || typeof value === 'function',
        'a text, or a function that returns one',
      ).optional(),
      tools: field(Array.isArray, 'a list of tools').optional(),
      // The rules are checked with their own error.
      permissions: z.unknown().optional(),
      maxIterations: number().optional(),
      limits: object().optional(),
    }) satisfies Record<keyof RlmAgentOptions, z.ZodType>,
  agentNamed,
);

/**
 * An agent whose model writes JavaScript that runs in a sandbox, over an input that may be far longer than what a model
 * can be sent. Code asks models about pieces of it with `llm_query` and gives the answer with `FINAL`. Throws
 * `invalid_argument` for options that it does not take, and `invalid_permission_rule`.
 */
export function rlmAgent(options: RlmAgentOptions): Agent {
  checkOptions(options);
  const { permissions, tools = [] } = options;
  if (permissions !== undefined) checkSources([permissions]);
  tools.forEach(checkCallable);
  return agentAt(options);
}

/** The agent at one level of a recursion; the levels share one count of queries. */
function agentAt(options: RlmAgentOptions, shared?: QueryCount): Agent {
  const { id = 'rlm' } = options;
  const limits = rlmLimits(options.limits);
  functionsOf(options.tools ?? []);

  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { runId, resume } = params;
    if (resume?.endedBy !== undefined) return;
    if (resume?.agentId === undefined) yield startEvent(id, params);
    const stop = stopWith(params.signal);
    const { signal } = stop;
    const count = shared ?? { made: 0 };
    const below = { ...limits, maxDepth: limits.maxDepth - 1 };
    const deeper = (context: string, model: ModelSource) =>
      agentAt({ ...options, model, context, limits: below }, count);
    const run = new RlmRun(options, { ...params, signal }, { limits, count, deeper });
    try {
      const reason = yield* run.run();
      yield { type: 'harness_end', runId, agentId: id, reason };
    } finally {
      stop.abort();
      await run.close();
    }
  }
  return { id, resumable: true, invoke };
}
