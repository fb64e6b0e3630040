import { defined } from '../../base/defined.ts';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import type { RunState } from '../../projections/run-state.ts';
import type { Agent, InvokeParams } from '../contract/agent.ts';
import type { Background } from '../subagents/background.ts';
import { CallRunner } from '../loop/call-runner.ts';
import type { EventChannel } from '../run/event-channel.ts';
import { readContexts } from '../loop/run-contexts.ts';
import { modelAgent } from '../model/call/model-agent.ts';
import { resolveModel } from '../model/registry/model-source.ts';
import type { ModelSource } from '../contract/model.ts';
import { checkSources, toRuleSet } from '../permissions/check-sources.ts';
import { inheritParams } from '../subagents/inherited-params.ts';
import { Lineage } from '../contract/lineage.ts';
import { replInstructions } from './instructions.ts';
import { Queries, type QueryCount } from './queries.ts';
import { toFunctions, ReplTools } from './repl-tools.ts';
import type { RlmAgentOptions } from './rlm-agent-options.ts';
import type { RlmLimits } from './rlm-limits.ts';
import { loadSandboxProgram, Sandbox } from './sandbox.ts';

/** The settings that a run receives from its agent. */
export interface RlmScope {
  readonly limits: RlmLimits;
  readonly count: QueryCount;
  /** Creates the same agent for a context, one level below. */
  readonly deeper: (context: string, model: ModelSource) => Agent;
}

/** The resources of a run. */
export interface RlmSetting {
  readonly model: LanguageModelV3;
  readonly instructions: string;
  readonly sandbox: Sandbox;
  readonly queries: Queries;
  readonly tools: ReplTools;
}

interface Parts {
  readonly options: RlmAgentOptions;
  readonly params: InvokeParams;
  readonly scope: RlmScope;
  readonly channel: EventChannel;
  readonly background: Background;
}

/** Resolves the model and the context of a run and creates its sandbox, with the functions of its code. */
export async function rlmSetting({ options, params, scope, channel, background }: Parts): Promise<RlmSetting> {
  const { limits, count, deeper } = scope;
  const { registry, settings, retry, instructions, subModel, context: given = '' } = options;
  const { runId, resume, signal } = params.run;
  const { decided } = params.conversation;
  const { answers, withheldTools } = params.host;
  checkSources(params.host.permissions ?? []);
  const source = params.run.model ?? resume?.model ?? options.model;
  const model = await resolveModel(source, registry);
  const context = typeof given === 'string' ? given : await given(params);
  const tools = [...(options.tools ?? []), ...(params.host.tools ?? [])];
  const functions = toFunctions(tools.filter(({ name }) => withheldTools?.includes(name) !== true));
  const lineage = new Lineage(params.run.depth);
  if (resume !== undefined) {
    lineage.countBefore(resume);
    count.made += countRuns(resume);
  }
  const rules = [toRuleSet(options.permissions ?? 'ask'), ...(params.host.permissions ?? [])];
  const inherited = inheritParams(params, { permissions: rules, spending: params.host.spending });
  const put = channel.put.bind(channel);
  const runner = new CallRunner({
    runId,
    tools: new Map([...functions.values()].map(tool => [tool.name, tool])),
    rules,
    answers,
    signal,
    put,
    parallel: 8,
    timeoutMs: 600_000,
    scope: {
      channel,
      lineage,
      background,
      inherited,
      contexts: await readContexts(functions.values(), params.run.context),
    },
  });
  runner.remember([...(decided ?? []), ...(resume?.relays.values() ?? [])]);
  const asked = modelAgent(subModel ?? source, {
    id: 'llm_query',
    ...(registry && { registry }),
    ...(settings && { settings }),
    ...(retry && { retry }),
  });
  return {
    model,
    instructions: replInstructions({ instructions, context, functions, limits }),
    sandbox: new Sandbox({
      program: await loadSandboxProgram(),
      context,
      functions: [...functions.keys()],
      limits,
      signal,
    }),
    queries: new Queries({
      limits,
      count,
      model: asked,
      recursive: about => deeper(about, subModel ?? source),
      inherited: {
        ...inherited,
        run: { ...inherited.run, depth: lineage.depth + 1 },
        host: { ...inherited.host, ...defined({ tools: params.host.tools }) },
      },
      sink: channel,
    }),
    tools: new ReplTools({ runId, functions, runner, put }),
  };
}

function countRuns({ children }: RunState): number {
  return [...children.values()].flat().reduce((sum, child) => sum + 1 + countRuns(child), 0);
}
