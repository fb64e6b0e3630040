import { dropOldest } from '../drop-oldest.ts';
import type { ToolCall } from '../contract/agent.ts';
import type { RequestPaths } from '../contract/permissions.ts';
import { Semaphore } from '../semaphore.ts';
import type { Stamp } from '../workspace/file-changes.ts';
import type { WorkspaceFolder } from '../workspace/workspace-folder.ts';

/** The state that the tools of one workspace share. */
export interface ToolWorkspace {
  readonly workspace: WorkspaceFolder;
  readonly seen: SeenFiles;
  /** A semaphore with one permit: concurrent calls change files one at a time, so that they do not undo each other. */
  readonly fileLock: Semaphore;
}

/** Returns the workspace for one call: its paths are pinned to the permitted targets, and granted ones are open. */
export function permittedWorkspace(
  { workspace }: ToolWorkspace,
  { paths, access }: Pick<ToolCall, 'paths' | 'access'>,
): WorkspaceFolder {
  return paths === undefined ? workspace : workspace.pinned(Object.values(paths).flat(), access);
}

/** Returns the paths of a tool with the single path argument `path`; the root when it is absent. */
export function pathArgument({
  workspace,
}: ToolWorkspace): (input: { path?: string | undefined }) => Promise<RequestPaths> {
  return async ({ path = '.' }) => ({ path: [await workspace.resolve(path)] });
}

export function createToolWorkspace(workspace: WorkspaceFolder): ToolWorkspace {
  return { workspace, seen: new SeenFiles(), fileLock: new Semaphore(1) };
}

/** The state of each file that a run saw last; the oldest entries are dropped. */
export class SeenFiles {
  readonly #stamps = new Map<string, Stamp>();

  /** Records that a run read or wrote a file; a stamp of undefined means that it removed it. */
  note(runId: string, real: string, stamp: Stamp | undefined): void {
    const key = toKey(runId, real);
    this.#stamps.delete(key);
    if (stamp !== undefined) this.#stamps.set(key, stamp);
    dropOldest(this.#stamps);
  }

  findStamp(runId: string, real: string): Stamp | undefined {
    return this.#stamps.get(toKey(runId, real));
  }
}

function toKey(runId: string, real: string): string {
  return `${runId}\0${real}`;
}
