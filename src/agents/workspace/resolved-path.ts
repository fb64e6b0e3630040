import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { locate, type Place, realOf } from './locate.ts';
import type { Root } from './root.ts';

/** A path that a call names, and the file or folder that it leads to in a workspace. */
export interface ResolvedPath {
  /** The path as the call has it. */
  readonly written: string;
  /**
   * The paths of what it leads to, without links: first from the root, `.` for the root itself, then absolute. Empty
   * when it leads out of the workspace or cannot be followed.
   */
  readonly resolved: readonly string[];
}

/** Follows a path as opening it does; of what does not exist yet, the deepest folder that exists is followed. */
export async function resolvePath(
  root: Root,
  written: string,
  options: { readonly keepLink?: boolean } = {},
): Promise<ResolvedPath> {
  try {
    const place = await locate(root, written, { ...options, allowMissing: true });
    try {
      return resolvedAs(root, written, [realOf(place), ...(await storedPath(root, place, options))]);
    } finally {
      await place.folder.close();
    }
  } catch {
    return { written, resolved: [] };
  }
}

/** A path below a folder that was opened, where no link is. */
export function resolvedBelow(root: Root, path: string): ResolvedPath {
  return resolvedAs(root, path, [path]);
}

function resolvedAs(root: Root, written: string, reals: readonly string[]): ResolvedPath {
  const absolute = [root.path, root.given].flatMap(start =>
    reals.map(real => (real === '' ? start : `${start}/${real}`)),
  );
  return { written, resolved: [...new Set([...reals.map(real => real || '.'), ...absolute])] };
}

/** The path as the disk spells it: where descriptors are no paths, the disk may ignore the case of names. */
async function storedPath(root: Root, { folder, name, stats }: Place, { keepLink = false }): Promise<string[]> {
  if (root.byDescriptor) return [];
  const below = keepLink || stats === undefined ? name : '';
  const stored = relative(root.path, await realpath(below === '' ? folder.at(name) : folder.path));
  return [[stored, below].filter(part => part !== '').join('/')];
}
