/**
 * A folder that tools are confined to: its files and the processes that start in it.
 * @module
 */
export type { FileChange, Stamp } from './file-changes.ts';
export type { PathAccess } from './path-access.ts';
export type { ResolvedPath } from './resolved-path.ts';
export {
  type FolderEntry,
  type OpenedFile,
  type WorkspaceFolder,
  type WorkspaceOptions,
  workspace,
} from './workspace-folder.ts';
