import type { InvokeParams } from '../../agents/agent.ts';
import type { ModelRegistry } from '../../agents/model/registry/registry.ts';
import { builtinTools } from './builtin-tools/builtin-tools.ts';
import { loopTools } from './builtin-tools/harness-tool.ts';
import { subagentTool } from './builtin-tools/subagent-tool.ts';
import { type HarnessConfig, type HarnessSubagent, resolveDynamic } from './harness-config.ts';
import {
  deniedTools,
  type PermissionRules,
  permissionDecider,
  type PermissionSituation,
  visibleTools,
} from './permissions.ts';
import type { HarnessRequestContext, RequestContext } from './request-context.ts';
import type { TaskBoard } from './tasks/task-board.ts';

/** What a run of a harness is set up from. */
export interface RunSetup {
  readonly config: Pick<HarnessConfig, 'tools' | 'subagents' | 'disableBuiltinTools' | 'resolveModel'>;
  readonly requestContext: RequestContext;
  readonly harness: HarnessRequestContext;
  readonly board: TaskBoard;
  readonly rules: PermissionRules;
  readonly situationOf: (toolName: string) => PermissionSituation;
  /** The model that is chosen; empty when none is. */
  readonly modelId: string;
  readonly subagentModel: (subagent: HarnessSubagent) => string;
  readonly registry: () => Promise<ModelRegistry>;
}

/**
 * What a run is given: the built-in tools, those of the harness, its permissions and its context. A tool that is
 * denied by name is not offered, the agent's own and those of subagents neither. A run that is gone on with keeps its
 * model.
 */
export async function setUpRun(params: InvokeParams, setup: RunSetup): Promise<Partial<InvokeParams>> {
  const { config, requestContext, subagentModel: modelOf, registry } = setup;
  requestContext.set('harness', { ...setup.harness, abortSignal: params.signal });
  const shared = loopTools((await resolveDynamic(config.tools, requestContext)) ?? {}, requestContext);
  const { subagents = [], disableBuiltinTools: disabled = [] } = config;
  const hasSubagents = subagents.length > 0 && !disabled.includes('subagent');
  const tools = [
    ...builtinTools(setup.board, disabled),
    ...(hasSubagents ? [subagentTool({ subagents, requestContext, shared, modelOf, registry })] : []),
    ...shared,
  ];
  const model = params.resume?.model ?? setup.modelId;
  return {
    tools: visibleTools(tools, setup.rules),
    withheldTools: deniedTools(setup.rules),
    permissions: [...(params.permissions ?? []), permissionDecider(setup.situationOf)],
    context: requestContext,
    ...(model !== '' && { model }),
    ...(config.resolveModel !== undefined && { registry: await registry() }),
  };
}
