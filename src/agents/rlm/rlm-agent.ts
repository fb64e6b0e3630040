import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { CallableAgent } from '../agent.ts';
import { type InvokeParams, toInvokeParams, type InvokeRequest } from '../invoke-params.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { field, number, text } from '../../base/options/option-fields.ts';
import { frozenEvents } from '../frozen-events.ts';
import { checkCallable } from '../loop/check-tool.ts';
import { stopWith } from '../loop/stop-with.ts';
import { withRun } from '../run-agent.ts';
import { startEvent } from '../start-event.ts';
import type { Tool } from '../loop/tool.ts';
import { agentNamed, modelOptions, modelSource } from '../model/call/model-options.ts';
import type { ModelSettings } from '../model/call/model-settings.ts';
import { checkModelId, type ModelSource } from '../model/registry/model-source.ts';
import type { ModelRegistry } from '../model/registry/registry.ts';
import type { RetryOptions } from '../model/call/retry.ts';
import type { PermissionRuleSet, Policy } from '../permissions/rule.ts';
import { toRuleSet } from '../permissions/check-sources.ts';
import type { QueryCount } from './queries.ts';
import { functionsOf } from './repl-tools.ts';
import { type RlmLimits, rlmLimits, rlmLimitsField } from './rlm-limits.ts';
import { RlmRun } from './rlm-run.ts';

export interface RlmAgentOptions {
  /** Default: `rlm`. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** The model for `llm_query`. Default: the agent's model. */
  readonly subModel?: ModelSource;
  /** The model's instructions, beside those about its REPL. */
  readonly instructions?: string;
  /** The long input: a string in the REPL, of which the model receives the size and the beginning. Default: empty. */
  readonly context?: string | ((params: InvokeParams) => Promise<string> | string);
  /**
   * The tools that code may call, each as a function of its name; a shell tool also accepts the command as a string.
   */
  readonly tools?: readonly Tool[];
  /** The calls that run without asking: rules, or one policy for every call. Default: every call is asked about. */
  readonly permissions?: PermissionRuleSet | Policy;
  /** The number of model calls before the model has to conclude. Default: 30. */
  readonly maxIterations?: number;
  readonly limits?: Partial<RlmLimits>;
  /** The settings of model calls. */
  readonly settings?: ModelSettings;
  readonly retry?: RetryOptions;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

const checkOptions = optionsCheck<RlmAgentOptions>(
  'rlmAgent',
  agentNamed,
)(() => ({
  id: text().optional(),
  model: modelSource(),
  subModel: modelSource().optional(),
  ...modelOptions(),
  context: field(
    value => typeof value === 'string' || typeof value === 'function',
    'a string, or a function that returns one',
  ).optional(),
  tools: field(Array.isArray, 'an array of tools').optional(),
  // The rules are checked with their own error.
  permissions: z.unknown().optional(),
  maxIterations: number().optional(),
  limits: rlmLimitsField().optional(),
}));

/**
 * Creates an agent whose model writes JavaScript that runs in a sandbox, over an input that may be far longer than a
 * context window. Code queries models about pieces of it with `llm_query` and returns the answer with `FINAL`. Throws
 * `invalid_argument` for invalid options and `invalid_permission_rule` for invalid rules.
 */
export function rlmAgent(options: RlmAgentOptions): CallableAgent {
  checkOptions(options);
  const { permissions, tools = [] } = options;
  if (permissions !== undefined) toRuleSet(permissions);
  tools.forEach(checkCallable);
  return agentAt(options);
}

/** Creates the agent at one level of a recursion; the levels share one count of queries. */
function agentAt(options: RlmAgentOptions, shared?: QueryCount): CallableAgent {
  const { id = 'rlm' } = options;
  const limits = rlmLimits(options.limits);
  functionsOf(options.tools ?? []);

  async function* runEvents(request: InvokeRequest): AsyncGenerator<AgentEvent> {
    const params = toInvokeParams(request);
    const { runId, resume } = params.run;
    if (resume?.endedBy !== undefined) return;
    if (resume?.agentId === undefined) yield startEvent(id, params.run);
    const stop = stopWith(params.run.signal);
    const { signal } = stop;
    const count = shared ?? { made: 0 };
    const below = { ...limits, maxDepth: limits.maxDepth - 1 };
    const deeper = (context: string, model: ModelSource) =>
      agentAt({ ...options, model, context, limits: below }, count);
    const run = new RlmRun(options, { ...params, run: { ...params.run, signal } }, { limits, count, deeper });
    try {
      const reason = yield* run.run();
      yield { type: 'harness_end', runId, agentId: id, reason, ...defined({ output: run.output }) };
    } finally {
      stop.abort();
      await run.close();
    }
  }
  const invoke = (request: InvokeRequest) => frozenEvents(runEvents(request));
  const categoryOf = (toolName: string) => options.tools?.find(({ name }) => name === toolName)?.category;
  const checkModel = (modelId: string, given: ModelRegistry) => checkModelId(modelId, options.registry ?? given);
  const hasOwnModel = typeof options.model !== 'string';
  return withRun({ id, abilities: { resumable: true, hasOwnModel }, checkModel, categoryOf, invoke });
}
