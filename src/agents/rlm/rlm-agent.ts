import { checkRlmOptions, type RlmAgentOptions } from './rlm-agent-options.ts';
import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { CallableAgent, InvokeRequest } from '../contract/agent.ts';
import { toInvokeParams } from '../contract/invoke-params.ts';
import { frozenEvents } from '../frozen-events.ts';
import { checkCallable } from '../tool-definition/check-tool.ts';
import { stopWith } from '../run/stop-with.ts';
import { withRun } from '../run-agent.ts';
import { startEvent } from '../start-event.ts';
import { checkModelId } from '../model/registry/model-source.ts';
import type { ModelSource, ModelRegistry } from '../contract/model.ts';
import { toRuleSet } from '../permissions/check-sources.ts';
import type { QueryCount } from './queries.ts';
import { toFunctions } from './repl-tools.ts';
import { rlmLimits } from './rlm-limits.ts';
import { RlmRun } from './rlm-run.ts';

/**
 * Creates an agent whose model writes JavaScript that runs in a sandbox, over an input that may be far longer than a
 * context window. Code queries models about pieces of it with `llm_query` and returns the answer with `FINAL`. Throws
 * `invalid_argument` for invalid options and `invalid_permission_rule` for invalid rules.
 */
export function rlmAgent(options: RlmAgentOptions): CallableAgent {
  checkRlmOptions(options);
  const { permissions, tools = [] } = options;
  if (permissions !== undefined) toRuleSet(permissions);
  tools.forEach(checkCallable);
  return agentAt(options);
}

/** Creates the agent at one level of a recursion; the levels share one count of queries. */
function agentAt(options: RlmAgentOptions, shared?: QueryCount): CallableAgent {
  const { id = 'rlm' } = options;
  const limits = rlmLimits(options.limits);
  toFunctions(options.tools ?? []);

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
