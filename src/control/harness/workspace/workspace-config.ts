import * as z from 'zod';
import { type FetchOptions, fetchOption } from '../../../agents/tools/web/fetch.ts';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { field, flag, name } from '../../../base/options/option-fields.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import type { ToolCategory } from '../permissions/permissions.ts';

/** The options of a workspace. */
export interface WorkspaceConfig {
  /** The folder; it must exist when the workspace starts. */
  readonly root: string;
  /** Default: a new unique id. */
  readonly id?: string;
  /** Default: the last name of the path of the folder. */
  readonly name?: string;
  /** Environment variables for its commands, in addition to the few that every program needs. */
  readonly env?: Readonly<Record<string, string>>;
  /** Folders with skills, relative to the root; none by default. */
  readonly skills?: readonly string[];
  /** The names of its tools, and which are offered; all by default. */
  readonly tools?: WorkspaceToolsConfig;
  /** Also offers the tool `fetch`, with these settings; false by default. */
  readonly fetch?: boolean | FetchOptions;
  /** Whether a call with a path outside the folder asks a person for access; `ask` by default. */
  readonly outside?: 'ask' | 'refuse';
}

const toolName = () =>
  field(value => typeof value === 'string' && /^[\w-]{1,64}$/.test(value), '1 to 64 letters, digits, _ and -');
const tool = () => z.strictObject({ name: toolName().optional(), enabled: flag().optional() });
const toolFields = () => Object.fromEntries(workspaceToolIds.map(id => [id, tool().optional()]));

/** Throws `invalid_argument` for invalid options of a workspace. */
export const checkWorkspaceConfig = optionsCheck<WorkspaceConfig>('new Workspace')(() => ({
  root: name(),
  id: name().optional(),
  name: name().optional(),
  env: z.record(z.string(), z.string(), { error: 'expected variables by name' }).optional(),
  skills: z.array(name(), { error: 'expected a list of folders' }).optional(),
  tools: z.strictObject(toolFields()).optional(),
  fetch: fetchOption().optional(),
  outside: z.enum(['ask', 'refuse'], { error: 'expected "ask" or "refuse"' }).optional(),
}));

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
interface WorkspaceToolConfig {
  /** The name that models and permission rules use; its id by default. */
  readonly name?: string;
  /** Whether models are offered it; true by default. */
  readonly enabled?: boolean;
}

type WorkspaceToolsConfig = Readonly<Partial<Record<WorkspaceToolId, WorkspaceToolConfig>>>;

/** Gives the tools the names that they have in `@mastra/core`, as far as it has them. */
export const mastraToolNames: WorkspaceToolsConfig = {
  read: { name: 'mastra_workspace_read_file' },
  write: { name: 'mastra_workspace_write_file' },
  edit: { name: 'mastra_workspace_edit_file' },
  list: { name: 'mastra_workspace_list_files' },
  grep: { name: 'mastra_workspace_grep' },
  bash: { name: 'mastra_workspace_execute_command' },
};

const workspaceToolIds = Object.keys(workspaceToolCategories) as readonly WorkspaceToolId[];

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
