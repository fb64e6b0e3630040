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

export function toolRoom(workspace: Workspace): ToolRoom {
  return { workspace, seen: new SeenFiles(), changing: new Places(1) };
}
