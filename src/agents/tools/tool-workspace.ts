import { dropOldest } from '../drop-oldest.ts';
import type { ToolContext } from '../loop/tool.ts';
import type { RequestPaths } from '../permissions/index.ts';
import { Semaphore } from '../semaphore.ts';
import type { Stamp, Workspace } from '../workspace/index.ts';

/** What the tools of one workspace share. */
export interface ToolWorkspace {
  readonly workspace: Workspace;
  readonly seen: SeenFiles;
  /** Files are changed by one call at a time, so that calls side by side do not undo each other. */
  readonly fileLock: Semaphore;
}

/** The workspace for one call: its paths lead where they led when it was permitted. */
export function permittedWorkspace({ workspace }: ToolWorkspace, { paths }: Pick<ToolContext, 'paths'>): Workspace {
  return paths === undefined ? workspace : workspace.pinned(Object.values(paths).flat());
}

/** The paths of a tool whose one path is the argument `path`; the root when it is absent. */
export function pathArgument({
  workspace,
}: ToolWorkspace): (input: { path?: string | undefined }) => Promise<RequestPaths> {
  return async ({ path = '.' }) => ({ path: [await workspace.resolve(path)] });
}

export function createToolWorkspace(workspace: Workspace): ToolWorkspace {
  return { workspace, seen: new SeenFiles(), fileLock: new Semaphore(1) };
}

/** Which state of which file each run has seen last; the oldest are forgotten. */
export class SeenFiles {
  readonly #stamps = new Map<string, Stamp>();

  /** Takes note that a run read or wrote a file; undefined when it removed it. */
  note(runId: string, real: string, stamp: Stamp | undefined): void {
    const key = keyOf(runId, real);
    this.#stamps.delete(key);
    if (stamp !== undefined) this.#stamps.set(key, stamp);
    dropOldest(this.#stamps);
  }

  stampOf(runId: string, real: string): Stamp | undefined {
    return this.#stamps.get(keyOf(runId, real));
  }
}

function keyOf(runId: string, real: string): string {
  return `${runId}\0${real}`;
}
