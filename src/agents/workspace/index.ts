/**
 * A folder that tools are confined to: its files and the processes that start in it.
 * @module
 */
export type { ChangedFile, FileChange, Stamp } from './file-changes.ts';
export type { CommandEnd } from './run-command.ts';
export {
  type CommandRequest,
  type FolderEntry,
  type OpenedFile,
  type OpenedFolder,
  type Workspace,
  type WorkspaceOptions,
  workspace,
} from './workspace.ts';
