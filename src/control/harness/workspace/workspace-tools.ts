import { SingletreeError } from '../../../base/singletree-error.ts';
import type { Tool } from '../../../agents/contract/agent.ts';
import type { ToolCategory } from '../permissions/permissions.ts';

/** The tools of a workspace, with their categories. */
export const workspaceToolCategories = {
  read: 'read',
  list: 'read',
  glob: 'read',
  grep: 'read',
  edit: 'edit',
  write: 'edit',
  patch: 'edit',
  bash: 'execute',
  fetch: 'other',
  skill: 'read',
} as const satisfies Record<string, ToolCategory>;

export type WorkspaceToolId = keyof typeof workspaceToolCategories;

/** The settings of one workspace tool. */
export interface WorkspaceToolConfig {
  /** The name that models and permission rules use; its id by default. */
  readonly name?: string;
  /** Whether models are offered it; true by default. */
  readonly enabled?: boolean;
}

export type WorkspaceToolsConfig = Readonly<Partial<Record<WorkspaceToolId, WorkspaceToolConfig>>>;

/** Gives the tools the names that they have in `@mastra/core`, as far as it has them. */
export const mastraToolNames: WorkspaceToolsConfig = {
  read: { name: 'mastra_workspace_read_file' },
  write: { name: 'mastra_workspace_write_file' },
  edit: { name: 'mastra_workspace_edit_file' },
  list: { name: 'mastra_workspace_list_files' },
  grep: { name: 'mastra_workspace_grep' },
  bash: { name: 'mastra_workspace_execute_command' },
};

export const workspaceToolIds = Object.keys(workspaceToolCategories) as readonly WorkspaceToolId[];

/** Returns the id of each enabled tool by its exposed name; throws `invalid_argument` when two have the same name. */
export function exposedTools(config: WorkspaceToolsConfig = {}): ReadonlyMap<string, WorkspaceToolId> {
  const exposed = new Map<string, WorkspaceToolId>();
  for (const id of workspaceToolIds) {
    const { name = id, enabled = true } = config[id] ?? {};
    if (!enabled) continue;
    const other = exposed.get(name);
    if (other !== undefined)
      throw new SingletreeError(
        'invalid_argument',
        `The workspace tools "${other}" and "${id}" have the same name "${name}". Give one of them another name.`,
      );
    exposed.set(name, id);
  }
  return exposed;
}

/** Returns the enabled tools under their exposed names. */
export function exposeTools(tools: readonly Tool[], exposed: ReadonlyMap<string, WorkspaceToolId>): Tool[] {
  return [...exposed].flatMap(([name, id]) => {
    const tool = tools.find(each => each.name === id);
    return tool === undefined ? [] : [{ ...tool, name }];
  });
}
