import { resolve } from 'node:path';
import { type LocateOptions, locate, type Place, toRealPath } from './locate.ts';
import { accessCovers } from './path-access.ts';
import type { PathAccess } from '../contract/permissions.ts';
import { leadsOutside, refused } from './refusal.ts';
import { isInside, type Root } from './root.ts';

/** The paths that a workspace may open. */
export interface Reach {
  readonly root: Root;
  /** The paths outside the root that may also be opened; undefined when access outside cannot be granted. */
  readonly granted?: readonly PathAccess[];
  /** The required targets of paths as they are written; a path without a pin may lead anywhere in reach. */
  readonly pins?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Refuses everything with the reason of its abort. */
  readonly closed?: AbortSignal;
}

export interface ReachOptions extends LocateOptions {
  /** The use of the path; `read` by default. */
  readonly mode?: PathAccess['mode'];
}

/**
 * Resolves a path in the root, or outside it when the resolved path is granted. Throws when it is out of reach, or when
 * it leads to another target than its pin. Folders outside the root are not created.
 */
export async function locateInReach(reach: Reach, path: string, options: ReachOptions = {}): Promise<Place> {
  reach.closed?.throwIfAborted();
  const { mode = 'read', ...located } = options;
  const place = await locateAnywhere(reach, path, located);
  try {
    if (!isPinned(reach, path, place))
      throw refused(path, 'does not lead where it led when the call was permitted. Try again.');
    const needed = accessTo(place, mode);
    if (needed !== undefined && reach.granted?.some(granted => accessCovers(granted, needed)) !== true)
      throw refused(path, `leads to ${needed.path} outside the workspace, to which access was not granted.`);
    return place;
  } catch (error) {
    await place.folder.close();
    throw error;
  }
}

/** Resolves a path in the root, else anywhere when paths outside can be granted; checks neither pins nor grants. */
export async function locateAnywhere({ root, granted }: Reach, path: string, options: LocateOptions): Promise<Place> {
  try {
    return await locate(root, path, options);
  } catch (error) {
    if (granted === undefined || !leadsOutside(error)) throw error;
    const { makeFolders: _, ...located } = options;
    const place = await locate(fileSystem(root), resolve(root.path, path), located);
    if (!isInside(root, toRealPath(place))) return place;
    // A path that leaves the root and returns by a link.
    await place.folder.close();
    throw error;
  }
}

/** Returns the access that opening a place needs; undefined inside the root. */
export function accessTo(place: Place, mode: PathAccess['mode']): PathAccess | undefined {
  if (!place.folder.isOutside) return undefined;
  return { path: toRealPath(place), kind: place.stats?.isDirectory() === true ? 'folder' : 'file', mode };
}

function isPinned({ pins }: Reach, path: string, place: Place): boolean {
  return pins?.get(path)?.has(toRealPath(place) || '.') ?? true;
}

function fileSystem({ byDescriptor }: Root): Root {
  return { path: '/', given: '/', byDescriptor, isFileSystem: true };
}
