import type { ResolvedPath } from '../contract/permissions.ts';
import { realpath } from 'node:fs/promises';
import { relative } from 'node:path';
import { type Place, toRealPath } from './locate.ts';
import { accessTo, locateAnywhere, type Reach } from './reach.ts';
import type { Root } from './root.ts';

/** Resolves a path the way opening it does; for a missing target, resolves the deepest folder that exists. */
export async function resolvePath(
  reach: Reach,
  written: string,
  options: { readonly keepLink?: boolean } = {},
): Promise<ResolvedPath> {
  const { root } = reach;
  try {
    const place = await locateAnywhere(reach, written, { ...options, allowMissing: true });
    try {
      const outside = accessTo(place, 'read');
      if (outside !== undefined) return { written, resolved: [outside.path], outside };
      return resolvedAs(root, written, [toRealPath(place), ...(await storedPath(root, place, options))]);
    } finally {
      await place.folder.close();
    }
  } catch {
    return { written, resolved: [] }; // A path that cannot be resolved resolves to nothing; rules then ask.
  }
}

/** Resolves a path below an opened folder, where no link exists. */
export function resolvedBelow(root: Root, path: string): ResolvedPath {
  if (path.startsWith('/')) return { written: path, resolved: [path] };
  return resolvedAs(root, path, [path]);
}

function resolvedAs(root: Root, written: string, reals: readonly string[]): ResolvedPath {
  const absolute = [root.path, root.given].flatMap(start =>
    reals.map(real => (real === '' ? start : `${start}/${real}`)),
  );
  return { written, resolved: [...new Set([...reals.map(real => real || '.'), ...absolute])] };
}

/** The path as spelled on disk: on systems without descriptor paths, the file system may ignore case. */
async function storedPath(root: Root, { folder, name, stats }: Place, { keepLink = false }): Promise<string[]> {
  if (root.byDescriptor) return [];
  const below = keepLink || stats === undefined ? name : '';
  const stored = relative(root.path, await realpath(below === '' ? folder.at(name) : folder.path));
  return [[stored, below].filter(part => part !== '').join('/')];
}
