/**
 * A folder that tools are confined to: its files and the processes that start in it.
 * @module
 */
export type { FileChange, Stamp } from './file-changes.ts';
export type { ResolvedPath } from './resolved-path.ts';
export {
  type FolderEntry,
  type OpenedFile,
  type Workspace,
  type WorkspaceOptions,
  workspace,
} from './workspace.ts';
