import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { field, flag, isObject, name, text } from '../../base/options/option-fields.ts';
import type { CallableAgent, InvokeParams, Tool } from '../contract/agent.ts';
import type { AgentCommand } from '../contract/abilities.ts';
import { toInvokeParams, toRunOrigin } from '../contract/invoke-params.ts';
import type { RunOrigin, RunParams } from '../contract/run-params.ts';
import { environmentField, type EnvironmentPolicy, policyFor } from '../process/environment.ts';
import { withRun } from '../run-agent.ts';
import { startEvent } from '../start-event.ts';
import { type Limits, limitsField } from '../limits/limits.ts';
import { type AgentTools, toolList } from '../tool-definition/ai-sdk-tool.ts';
import { loopAgent } from '../loop/loop-agent.ts';
import { compactionOption, type CompactionOptions } from '../memory/compaction-options.ts';
import { type Memory, memoryField } from '../memory/memory.ts';
import { modelSource } from '../model/call/model-options.ts';
import { checkModelId } from '../model/registry/model-source.ts';
import type { ModelSource, ModelRegistry } from '../contract/model.ts';
import { titleAgent } from '../titles/title-agent.ts';
import { decideAll } from '../permissions/decide.ts';
import type { PermissionRuleSet, Policy, ToolRequest } from '../contract/permissions.ts';
import { toRuleSet } from '../permissions/check-sources.ts';
import { conversationCategory } from '../permissions/tool-request.ts';
import type { Skill } from '../skills/discover-skills.ts';
import { skillInstructions, skillTool } from '../skills/skill-tool.ts';
import { agentTool, type Subagent } from '../subagents/agent-tool.ts';
import { TaskBoard } from '../tasks/task-board.ts';
import { toTasks } from '../tasks/assign-task-ids.ts';
import { workspacePermissions, workspaceTools } from '../tools/workspace-tools.ts';
import { askUserLoopTool } from '../tools/people/ask-user.ts';
import { submitPlanLoopTool } from '../tools/people/submit-plan.ts';
import { taskLoopTools } from '../tools/people/task-tools.ts';
import { workspace } from '../workspace/workspace-folder.ts';
import { ShadowRepository } from './checkpoints/shadow-repository.ts';
import { withCheckpoints } from './checkpoints/with-checkpoints.ts';
import { coderInstructions, type CoderMode, coderModes, subagentInstructions } from './instructions.ts';
import { planModeDecision } from './plan-mode.ts';
import { type InstructionFile, projectInstructions } from './project-instructions.ts';

/** A subagent of the coding agent. */
export interface CoderSubagent {
  /** When to use it, for the model. */
  readonly description: string;
  readonly instructions: string;
  /** Default: the model of the run. */
  readonly model?: string | undefined;
  /** The names of its tools. Default: those that only read. */
  readonly tools?: readonly string[] | undefined;
}

export interface CoderAgentOptions {
  /** Default: `coder`. */
  readonly id?: string;
  /** A model, or its `provider/model` id. */
  readonly model: ModelSource;
  /** The folder of the project. */
  readonly cwd: string;
  /** The data folder for snapshots and the user's own instructions; without it, changes cannot be undone. */
  readonly home?: string;
  /** The environment variables that its commands inherit. Default: the few that any program needs. */
  readonly environment?: EnvironmentPolicy;
  /** Rules in addition to the built-in ones, which allow reading and ask about everything else. */
  readonly permissions?: PermissionRuleSet | Policy;
  /** Further tools, such as those of MCP servers; a function is called with the origin of each run at its start. */
  readonly tools?: AgentTools | ((run: RunOrigin) => AgentTools);
  readonly skills?: readonly Skill[];
  /** Subagents by name, in addition to `explore` and `review`; one with either name replaces the built-in one. */
  readonly subagents?: Readonly<Record<string, CoderSubagent>>;
  /** Whether it may fetch pages of the public internet. Default: true; each address is asked about. */
  readonly fetch?: boolean;
  readonly memory?: Memory;
  /** Options of the compaction, which keeps user messages and the task list; `false` disables it. */
  readonly compaction?: Omit<CompactionOptions, 'keepsUserMessages' | 'append'> | false;
  readonly limits?: Limits;
  /** The registry that resolves model ids. Default: the one of the environment. */
  readonly registry?: ModelRegistry;
}

const checkOptions = optionsCheck<CoderAgentOptions>('coderAgent')(() => ({
  id: text().optional(),
  model: modelSource(),
  cwd: name(),
  home: name().optional(),
  environment: environmentField().optional(),
  // The rules are checked with their own error.
  permissions: z.unknown().optional(),
  tools: field(value => Array.isArray(value) || isObject(value) || typeof value === 'function', 'tools').optional(),
  skills: z.array(z.looseObject({ name: z.string() })).optional(),
  subagents: z
    .record(
      z.string(),
      z.strictObject({
        description: name(),
        instructions: name(),
        model: name().optional(),
        tools: z.array(z.string()).optional(),
      }),
    )
    .optional(),
  fetch: flag().optional(),
  memory: memoryField().optional(),
  compaction: compactionOption().optional(),
  limits: limitsField().optional(),
  registry: z.unknown().optional(),
}));

/**
 * Creates the coding agent: workspace tools on one folder, questions, plans, tasks and subagents, the project's own
 * instructions, a build and a plan mode, and checkpoints of file changes. Throws `invalid_argument` for invalid
 * options.
 */
export function coderAgent(options: CoderAgentOptions): CallableAgent {
  checkOptions(options);
  const { id = 'coder', home, permissions } = options;
  const rules = coderPermissions(permissions && toRuleSet(permissions));
  const ownTools = fileTools(options, options.cwd);
  /** The tools of each folder: runs in the same folder share its snapshots. Imported threads have their own. */
  const [toolsOf, importedToolsOf] = [new Map([[options.cwd, ownTools]]), new Map<string, Tool[]>()];

  /** Creates the loop of one run. */
  function createAgent(params: InvokeParams) {
    const { cwd = options.cwd } = params.run;
    const known = params.conversation.isImported === true ? importedToolsOf : toolsOf;
    const environment = policyFor(options.environment, params.conversation);
    const filesTools = known.get(cwd) ?? fileTools({ ...options, ...defined({ environment }) }, cwd);
    known.set(cwd, filesTools);
    const mode = new RunMode(params.run.mode);
    let problems: readonly string[] = [];
    const instructions = () => {
      const sources = [rules, ...(params.host.permissions ?? [])];
      const decide = (file: InstructionFile) => decideAll(sources, [], readRequest(cwd, file)).policy;
      const project = projectInstructions(cwd, { decide, ...defined({ home }) });
      ({ problems } = project);
      return coderInstructions({ cwd, mode: mode.current, project, more: [skillInstructions(skills)] });
    };
    const skills = options.skills ?? [];
    const more = typeof options.tools === 'function' ? options.tools(toRunOrigin(params.run)) : (options.tools ?? []);
    const tools = [...filesTools, ...(skills.length === 0 ? [] : [skillTool(skills)]), ...toolList(more)];
    const { memory, limits, registry, compaction = {} } = options;
    const board = new TaskBoard(toTasks({ tasks: params.conversation.tasks ?? [] }));
    const agent = loopAgent({
      id,
      model: options.model,
      cwd,
      instructions,
      tools: [
        ...tools,
        ...conversationTools(board, mode),
        agentTool({ agents: createSubagents({ ...options, cwd }, tools) }),
      ],
      permissions: rules,
      compaction: compaction && { ...compaction, keepsUserMessages: true, append: () => taskText(board) },
      ...(memory && { memory }),
      ...(limits && { limits }),
      ...(registry && { registry }),
    });
    return { agent, mode, problems: () => problems };
  }
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    const { cwd = options.cwd } = params.run;
    if (!existsSync(cwd)) {
      for (const known of [toolsOf, importedToolsOf]) known.delete(cwd);
      yield* missingFolder(id, params.run, cwd);
      return;
    }
    const { agent, mode, problems } = createAgent(params);
    const { runId } = params.run;
    const permissions = [...(params.host.permissions ?? []), mode.decide];
    const reported = new Set<string>();
    for await (const event of agent.invoke({ ...params, host: { ...params.host, permissions } })) {
      yield event;
      // The files were read for the run, and again for a summary.
      if (event.runId !== runId || (event.type !== 'step_start' && event.type !== 'summary')) continue;
      for (const message of problems()) {
        if (reported.has(message)) continue;
        reported.add(message);
        yield { type: 'warning', runId, message, code: 'project_instructions' };
      }
    }
  }
  return withRun({
    id,
    abilities: {
      resumable: true,
      usesFolder: true,
      takesAdditions: true,
      hasOwnModel: typeof options.model !== 'string',
    },
    checkModel: (modelId, given) => checkModelId(modelId, options.registry ?? given),
    modes: coderModes,
    commands: (options.skills ?? []).map(skillCommand),
    titleAgent: ({ model, ...request }) =>
      titleAgent({ ...request, model: model ?? options.model, registry: options.registry }),
    requestOf: request => {
      const params = toInvokeParams(request);
      return createAgent(params).agent.requestOf(params);
    },
    categoryOf: toolName => ownTools.find(tool => tool.name === toolName)?.category,
    invoke: request => invoke(toInvokeParams(request)),
  });
}

/** A skill as a command: the message that asks for it. */
function skillCommand({ name, description }: Skill): AgentCommand {
  return { name, description, sends: `Use the skill "${name}". {argument}` };
}

/** Returns the tools for the files of a folder, with checkpoints when a data folder is set. */
function fileTools({ home, environment, fetch = true }: CoderAgentOptions, cwd: string): Tool[] {
  const tools = workspaceTools(workspace(cwd, defined({ environment })), { fetch });
  if (home === undefined) return tools;
  return withCheckpoints(tools, new ShadowRepository({ folder: join(home, 'snapshots'), workTree: cwd }));
}

/** The call of the tool `read` for a file of the instructions; one above the folder is as in a workspace of its root. */
function readRequest(cwd: string, { path, real, root }: InstructionFile): ToolRequest {
  const own = workspace(cwd);
  const space = relative(own.root, real).startsWith('..') ? workspace(root) : own;
  const { resolved } = space.resolvedBelow(relative(space.root, real));
  const written = relative(space.root, join(realpathSync(dirname(path)), basename(path)));
  return { tool: 'read', category: 'read', input: { path }, paths: { path: [{ written, resolved }] } };
}

/** The whole run in a folder that was removed. */
function* missingFolder(agentId: string, run: RunParams, cwd: string): Generator<AgentEvent> {
  const { runId, resume } = run;
  if (resume?.agentId === undefined) yield startEvent(agentId, run, cwd);
  yield { type: 'error', runId, message: `The folder "${cwd}" does not exist.`, code: 'no_folder', fatal: true };
  yield { type: 'harness_end', runId, agentId, reason: 'error' };
}

/** The mode of one run: an approved plan changes it. */
class RunMode {
  current: CoderMode;

  constructor(mode: string | undefined) {
    this.current = mode === 'plan' ? 'plan' : 'build';
  }

  readonly decide = (request: Parameters<typeof planModeDecision>[0]) =>
    this.current === 'plan' ? planModeDecision(request) : ({ policy: 'allow' } as const);
}

/** The built-in rules of the coding agent, which apply in addition to those of its options. */
export const builtInCoderRules: PermissionRuleSet = {
  ...workspacePermissions,
  rules: [
    ...workspacePermissions.rules,
    { category: conversationCategory, policy: 'allow' },
    // A subagent follows the same rules, so starting one needs no approval.
    { category: 'agent', policy: 'allow' },
  ],
};

function coderPermissions(own: PermissionRuleSet | undefined): PermissionRuleSet {
  const { default: fallback = 'ask', rules } = builtInCoderRules;
  return { default: own?.default ?? fallback, rules: [...(own?.rules ?? []), ...rules] };
}

/** The tools that change only the conversation. */
function conversationTools(board: TaskBoard, mode: RunMode): Tool[] {
  const submitPlan = submitPlanLoopTool(async ({ emit }) => {
    mode.current = 'build';
    await emit({ type: 'mode_changed', modeId: 'build', previousModeId: 'plan' });
  });
  return [askUserLoopTool, ...(mode.current === 'plan' ? [submitPlan] : []), ...taskLoopTools(board)];
}

/** The task list for a summary; empty without tasks. */
function taskText({ tasks }: TaskBoard): string {
  return tasks.length === 0
    ? ''
    : `The task list:\n${tasks.map(({ status, content }) => `- [${status}] ${content}`).join('\n')}`;
}

function createSubagents(options: CoderAgentOptions, tools: readonly Tool[]): Subagent[] {
  const { model, cwd, registry, limits } = options;
  const reading = tools.filter(({ category }) => category === 'read');
  const all: Record<string, CoderSubagent> = {
    explore: subagentInstructions.explore,
    review: { ...subagentInstructions.review, tools: [...reading.map(tool => tool.name), 'bash'] },
    ...options.subagents,
  };
  return Object.entries(all).map(([id, { description, instructions, model: own, tools: names }]) => ({
    description,
    agent: loopAgent({
      id,
      model: own ?? model,
      cwd,
      instructions: `${instructions}\n\nThe folder is ${cwd}.`,
      tools: names === undefined ? reading : tools.filter(tool => names.includes(tool.name)),
      permissions: coderPermissions(options.permissions && toRuleSet(options.permissions)),
      ...(registry && { registry }),
      ...(limits && { limits }),
    }),
  }));
}
