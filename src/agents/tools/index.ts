/**
 * The built-in tools: files, searches and commands in one workspace, and pages of the internet.
 * @module
 */
import type { Tool } from '../loop/tool.ts';
import type { PermissionRuleSet } from '../permissions/index.ts';
import { type Workspace, workspace } from '../workspace/index.ts';
import { bashTool } from './bash.ts';
import { editTool } from './edit.ts';
import { type FetchOptions, fetchTool } from './fetch.ts';
import { globTool } from './glob.ts';
import { grepTool } from './grep.ts';
import { listTool } from './list.ts';
import { patchTool } from './patch.ts';
import { readTool } from './read.ts';
import { toolRoom } from './tool-room.ts';
import { writeTool } from './write.ts';

export type { FetchOptions } from './fetch.ts';

export interface WorkspaceToolsOptions {
  /** Offers `fetch` too, with its settings. */
  readonly fetch?: boolean | FetchOptions;
}

/** Reading is allowed; edits, commands, the network and everything else are asked. */
export const workspacePermissions: PermissionRuleSet = {
  default: 'ask',
  rules: [{ category: 'read', policy: 'allow' }],
};

/** The tools of a coding agent for one workspace, or for the folder at a path: they share what was read. */
export function workspaceTools(place: Workspace | string, { fetch = false }: WorkspaceToolsOptions = {}): Tool[] {
  const room = toolRoom(typeof place === 'string' ? workspace(place) : place);
  const tools = [readTool, listTool, globTool, grepTool, editTool, writeTool, patchTool, bashTool].map(make =>
    make(room),
  );
  if (fetch === false) return tools;
  return [...tools, fetchTool(fetch === true ? {} : fetch)];
}
