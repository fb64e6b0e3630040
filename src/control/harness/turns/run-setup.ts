import { defined } from '../../../base/defined.ts';
import type { Agent, HostParams, InvokeParams, Tool } from '../../../agents/contract/agent.ts';
import type { ToolRequest } from '../../../agents/contract/permissions.ts';
import type { ModelRegistry } from '../../../agents/contract/model.ts';
import { builtinTools } from '../tools/builtin-tools.ts';
import { loopTools } from '../tools/harness-tool.ts';
import { type ForkCall, subagentTool, unavailableInFork } from '../tools/subagent-tool.ts';
import { forkContext } from '../subagents/fork-context.ts';
import type { ForkRequest, Forks } from '../subagents/forks.ts';
import { type HarnessConfig, type HarnessSubagent } from '../harness-config.ts';
import { resolveDynamic } from '../dynamic.ts';
import { permissionReview, type PermissionSituation } from '../permissions/permissions.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import { type HarnessRequestContext, RequestContext } from '../tools/request-context.ts';
import type { TaskBoard } from '../../../agents/tasks/task-board.ts';
import type { RunAddition } from './driven-agent.ts';
import type { Workspace } from '../workspace/workspace.ts';

/** The inputs of a run's setup. */
export interface RunSetup {
  readonly config: Pick<HarnessConfig, 'tools' | 'subagents' | 'disableBuiltinTools' | 'resolveModel' | 'memory'>;
  readonly requestContext: RequestContext;
  readonly harness: HarnessRequestContext;
  readonly thread: Pick<OpenThread, 'id' | 'board' | 'takeFork'>;
  /** The agent of the run. */
  readonly agent: Agent;
  /** Returns the memory of the run. */
  readonly memory: () => Promise<Pick<HostParams, 'memory'>>;
  readonly forks: Pick<Forks, 'run'>;
  /** Returns the workspace of the run; undefined when it has none. */
  readonly workspace: (requestContext: RequestContext) => Promise<Workspace | undefined>;
  /** The names of tools that are hidden. */
  readonly denied: readonly string[];
  readonly situationOf: (request: ToolRequest) => PermissionSituation;
  /** The chosen model; empty for the agent's own. */
  readonly modelId: string;
  readonly subagentModel: (subagent: HarnessSubagent) => string;
  readonly registry: () => Promise<ModelRegistry>;
}

const noMemory =
  'A forked subagent needs the `memory` of the harness, and none is configured. Call it with forked: false.';

/**
 * Returns the parameters of a run: built-in, workspace and harness tools, permissions and context. A tool that is denied by
 * name is hidden, including the agent's own and those of subagents. A resumed run keeps its model.
 */
export async function setUpRun(params: InvokeParams, setup: RunSetup): Promise<Required<RunAddition>> {
  const { config, requestContext, thread, subagentModel: modelOf, registry } = setup;
  requestContext.set('harness', { ...setup.harness, abortSignal: params.run.signal });
  const workspace = await setup.workspace(requestContext);
  const harness: HarnessRequestContext = { ...setup.harness, ...defined({ workspace }) };
  requestContext.set('harness', { ...harness, abortSignal: params.run.signal });
  const workspaceTools = workspace?.tools ?? [];
  const harnessTools = (await resolveDynamic(config.tools, requestContext)) ?? {};
  const shared = loopTools(harnessTools, requestContext);
  const { subagents = [], disableBuiltinTools: disabled = [] } = config;
  const hasSubagents = subagents.length > 0 && !disabled.includes('subagent');
  const model = params.run.resume?.model ?? setup.modelId;
  const fork = config.memory === undefined ? noMemory : (call: ForkCall) => setup.forks.run(forkRequest(call));
  const subagent = hasSubagents
    ? [subagentTool({ subagents, requestContext, shared, workspaceTools, modelOf, registry, fork })]
    : [];
  /** The tools of the run, or of a fork of it: the model is offered the same. */
  const buildTools = (board: TaskBoard, ...more: readonly Tool[]) =>
    [...builtinTools(board, disabled), ...more].filter(({ name }) => !setup.denied.includes(name));
  const prepared: Required<RunAddition> = {
    run: { ...defined({ context: params.run.context }), ...(model !== '' && { model }) },
    host: {
      tools: buildTools(thread.board, ...subagent, ...workspaceTools, ...shared),
      withheldTools: setup.denied,
      permissions: [...(params.host.permissions ?? []), permissionReview(setup.situationOf)],
      request: requestContext,
      ...(await setup.memory()),
      ...(config.resolveModel !== undefined && { registry: await registry() }),
    },
  };
  const forkRequest = ({ subagent: type, task, context }: ForkCall): ForkRequest => ({
    origin: { threadId: thread.id, runId: context.runId, toolCallId: context.toolCallId },
    subagent: type,
    task,
    signal: context.signal,
    isRepeated: params.run.resume?.calls.get(context.toolCallId)?.started === true,
    parent: {
      agent: setup.agent,
      modelId: model,
      tasks: thread.board.tasks,
      memoryHost: params.host.memoryHost,
      takeFork: (view, event) => thread.takeFork(view, event),
      prepare: place => {
        const forked = new RequestContext(requestContext);
        forked.set('harness', forkContext(harness, place));
        const tools = buildTools(
          place.board,
          ...subagent.map(unavailableInFork),
          ...workspaceTools,
          ...loopTools(harnessTools, forked),
        );
        return { ...prepared, host: { ...prepared.host, tools, request: forked } };
      },
    },
  });
  return prepared;
}
