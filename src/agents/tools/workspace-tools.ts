/**
 * The built-in tools: files, searches and commands in one workspace, and web pages.
 * @module
 */
import { optionsCheck } from '../../base/options/check-options.ts';
import type { Tool } from '../contract/agent.ts';
import type { PermissionRuleSet } from '../contract/permissions.ts';
import { type WorkspaceFolder, workspace } from '../workspace/workspace-folder.ts';
import { bashTool } from './shell/bash.ts';
import { editTool } from './files/edit.ts';
import { fetchOption, type FetchOptions, fetchTool } from './web/fetch.ts';
import { globTool } from './search/glob.ts';
import { grepTool } from './search/grep.ts';
import { listTool } from './search/list.ts';
import { patchTool } from './files/patch.ts';
import { readTool } from './files/read.ts';
import { createToolWorkspace } from './tool-workspace.ts';
import { writeTool } from './files/write.ts';

export type { FetchOptions } from './web/fetch.ts';

export interface WorkspaceToolsOptions {
  /** Also offers `fetch`, with these settings. */
  readonly fetch?: boolean | FetchOptions;
}

/** Allows reads; asks about edits, commands, the network and everything else. */
export const workspacePermissions: PermissionRuleSet = {
  default: 'ask',
  rules: [{ category: 'read', policy: 'allow' }],
};

const checkOptions = optionsCheck<WorkspaceToolsOptions>('workspaceTools')(() => ({ fetch: fetchOption().optional() }));

/**
 * Returns the tools of a coding agent for one workspace, or for the folder at a path; they share which files were read.
 */
export function workspaceTools(folder: WorkspaceFolder | string, options: WorkspaceToolsOptions = {}): Tool[] {
  checkOptions(options);
  const { fetch = false } = options;
  const toolWorkspace = createToolWorkspace(typeof folder === 'string' ? workspace(folder) : folder);
  const tools = [readTool, listTool, globTool, grepTool, editTool, writeTool, patchTool, bashTool].map(make =>
    make(toolWorkspace),
  );
  if (fetch === false) return tools;
  return [...tools, fetchTool(fetch === true ? {} : fetch)];
}
