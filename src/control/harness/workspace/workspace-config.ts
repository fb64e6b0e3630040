import * as z from 'zod';
import { type FetchOptions, fetchOption } from '../../../agents/tools/web/fetch.ts';
import { optionsCheck } from '../../../base/options/check-options.ts';
import { field, flag, name } from '../../../base/options/option-fields.ts';
import { workspaceToolIds, type WorkspaceToolsConfig } from './workspace-tools.ts';

/** The options of a workspace. */
export interface WorkspaceConfig {
  /** The folder; it must exist when the workspace starts. */
  readonly root: string;
  /** Default: a new unique id. */
  readonly id?: string;
  /** Default: the last name of the path of the folder. */
  readonly name?: string;
  /** Environment variables for its commands, beside the few that any program needs. */
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
