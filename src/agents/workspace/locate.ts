import type { BigIntStats } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { Folder } from './folder.ts';
import { linkedOutside, missing, refused } from './refusal.ts';
import { namesInside, type Root } from './root.ts';

/** The location of a path after following all links: a name in an opened folder, which the caller closes. */
export interface Place {
  readonly folder: Folder;
  /** `.` for the root itself; several names joined by `/` when missing folders are allowed. */
  readonly name: string;
  /** The stats of the location; undefined when nothing exists there. */
  readonly stats: BigIntStats | undefined;
}

export interface LocateOptions {
  /** Creates missing folders on the path, but none through a link. */
  readonly makeFolders?: boolean;
  /** Does not follow a link at the end of the path. */
  readonly keepLink?: boolean;
  /** Makes names that do not exist yet part of the name. */
  readonly allowMissing?: boolean;
}

interface Link {
  readonly target: string;
  /** The index of the link among the names. */
  readonly index: number;
}

const mostLinks = 40;

/** Returns the path of a location without links: from the root of the workspace, absolute outside it. */
export function toRealPath({ folder, name }: Place): string {
  const path = [...folder.names, ...(name === '.' ? [] : [name])].join('/');
  return folder.isOutside ? `/${path}` : path;
}

/** Resolves a path inside the root, links included; throws when it or a link leads outside. */
export async function locate(root: Root, path: string, options: LocateOptions = {}): Promise<Place> {
  let names = await namesInside(root, path);
  let linked = 0;
  for (let links = 0; links <= mostLinks; links++) {
    const found = await descend(root, { path, names, linked }, options);
    if ('folder' in found) return found;
    const { target, index } = found;
    const pointed = await namesInside(root, target, names.slice(0, index)).catch(() => {
      throw linkedOutside(path, names.slice(0, index + 1).join('/'));
    });
    linked = pointed.length + Math.max(0, linked - index - 1);
    names = [...pointed, ...names.slice(index + 1)];
  }
  throw refused(path, 'goes through too many links.');
}

/** A path to walk; its first `linked` names are from the target of a link. */
interface Way {
  readonly path: string;
  readonly names: readonly string[];
  readonly linked: number;
}

async function descend(root: Root, { path, names, linked }: Way, options: LocateOptions): Promise<Place | Link> {
  let folder = await Folder.open(root);
  try {
    for (const [index, name] of names.entries()) {
      const isLast = index === names.length - 1;
      const stats = await folder.look(name);
      if (stats?.isSymbolicLink() === true && !(isLast && options.keepLink === true)) {
        const target = await folder.linkAt(name);
        await folder.close();
        return { target, index };
      }
      if (stats === undefined && options.makeFolders === true && index < linked)
        throw refused(path, 'goes through a link to something that does not exist.');
      if (isLast) return { folder, name, stats };
      if (stats === undefined && options.allowMissing === true)
        return { folder, name: names.slice(index).join('/'), stats };
      if (stats === undefined) {
        if (options.makeFolders !== true) throw missing(path);
        await makeFolder(folder, name);
      } else if (!stats.isDirectory()) throw refused(path, `goes through ${name}, which is not a folder.`);
      const next = await folder.enter(name);
      await folder.close();
      folder = next;
    }
    return { folder, name: '.', stats: await folder.look('.') };
  } catch (error) {
    // The first error is the one to report.
    await folder.close().catch(() => {});
    throw error;
  }
}

async function makeFolder(folder: Folder, name: string): Promise<void> {
  try {
    await mkdir(folder.at(name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
