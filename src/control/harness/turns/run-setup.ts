import type { InvokeParams } from '../../../agents/agent.ts';
import type { ToolRequest } from '../../../agents/permissions/index.ts';
import type { ModelRegistry } from '../../../agents/model/registry/registry.ts';
import { builtinTools } from '../tools/builtin-tools.ts';
import { loopTools } from '../tools/harness-tool.ts';
import { subagentTool } from '../tools/subagent-tool.ts';
import { type HarnessConfig, type HarnessSubagent, resolveDynamic } from '../harness-config.ts';
import {
  deniedTools,
  type PermissionRules,
  permissionReview,
  type PermissionSituation,
  visibleTools,
} from '../permissions/permissions.ts';
import type { HarnessRequestContext, RequestContext } from '../tools/request-context.ts';
import type { TaskBoard } from '../tasks/task-board.ts';

/** The inputs of a run's setup. */
export interface RunSetup {
  readonly config: Pick<HarnessConfig, 'tools' | 'subagents' | 'disableBuiltinTools' | 'resolveModel'>;
  readonly requestContext: RequestContext;
  readonly harness: HarnessRequestContext;
  readonly board: TaskBoard;
  readonly rules: PermissionRules;
  readonly situationOf: (request: ToolRequest) => PermissionSituation;
  /** The chosen model; empty for the agent's own. */
  readonly modelId: string;
  readonly subagentModel: (subagent: HarnessSubagent) => string;
  readonly registry: () => Promise<ModelRegistry>;
}

/**
 * Returns the parameters of a run: built-in tools, harness tools, permissions and context. A tool that is denied by
 * name is hidden, including the agent's own and those of subagents. A resumed run keeps its model.
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
    permissions: [...(params.permissions ?? []), permissionReview(setup.situationOf)],
    context: requestContext,
    ...(model !== '' && { model }),
    ...(config.resolveModel !== undefined && { registry: await registry() }),
  };
}
