import type { ToolContext } from '../loop/tool.ts';
import type { RequestPaths } from '../permissions/index.ts';
import { Places } from '../places.ts';
import type { Workspace } from '../workspace/index.ts';
import { SeenFiles } from './seen-files.ts';

/** What the tools of one workspace share. */
export interface ToolRoom {
  readonly workspace: Workspace;
  readonly seen: SeenFiles;
  /** Files are changed by one call at a time, so that calls side by side do not undo each other. */
  readonly changing: Places;
}

/** The workspace for one call: its paths lead where they led when it was permitted. */
export function permittedWorkspace({ workspace }: ToolRoom, { paths }: Pick<ToolContext, 'paths'>): Workspace {
  return paths === undefined ? workspace : workspace.pinned(Object.values(paths).flat());
}

/** The paths of a tool whose one path is the argument `path`; the root when it is absent. */
export function pathArgument({ workspace }: ToolRoom): (input: { path?: string | undefined }) => Promise<RequestPaths> {
  return async ({ path = '.' }) => ({ path: [await workspace.resolve(path)] });
}

export function toolRoom(workspace: Workspace): ToolRoom {
  return { workspace, seen: new SeenFiles(), changing: new Places(1) };
}
