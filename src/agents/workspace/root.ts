import { existsSync, realpathSync, statSync } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname, normalize, relative, resolve } from 'node:path';
import { SingletreeError } from '../../base/singletree-error.ts';
import { outside, refused } from './refusal.ts';

/** The root folder of a workspace. */
export interface Root {
  /** Its real path. */
  readonly path: string;
  /** Its path as given, made absolute. */
  readonly given: string;
  /** Whether files are opened relative to folder descriptors, so that no part of a path can be swapped. */
  readonly byDescriptor: boolean;
  /** Whether it is the root of the file system, for granted paths outside a workspace; their paths are absolute. */
  readonly isFileSystem?: true;
}

const hasDescriptorPaths = process.platform === 'linux' && existsSync('/proc/self/fd');

/** Opens the root folder of a workspace; throws `invalid_argument` when it is not a folder. */
export function rootAt(path: string, byDescriptor: boolean = hasDescriptorPaths): Root {
  const given = resolve(path);
  try {
    const real = realpathSync.native(given);
    if (statSync(real).isDirectory()) return { path: real, given, byDescriptor };
  } catch (cause) {
    throw new SingletreeError(
      'invalid_argument',
      `The folder ${given} does not exist: a workspace needs an existing one.`,
      {
        cause,
      },
    );
  }
  throw new SingletreeError('invalid_argument', `${given} is not a folder: a workspace needs one.`);
}

const longestPath = 4096;

/**
 * Returns the names from the root to a path, none for the root itself; throws when it is outside. A `..` removes the
 * name before it, even when that name is a link. A relative path starts at the folder `from`.
 */
export async function namesInside(root: Root, path: string, from: readonly string[] = []): Promise<string[]> {
  if (path.includes('\0')) throw refused(path, 'contains a NUL byte.');
  if (Buffer.byteLength(path) > longestPath) throw refused(`${path.slice(0, 80)}…`, 'is too long for a path.');
  const within = path.startsWith('/') ? await fromRoot(root, path) : normalize([...from, path].join('/'));
  if (within === undefined || climbs(within)) throw outside(path);
  return within.split('/').filter(name => name !== '' && name !== '.');
}

/** Whether a real path is the root or below it. */
export function isInside(root: Root, real: string): boolean {
  return !climbs(relative(root.path, real));
}

/** Whether two stats belong to the same file. */
function isSame(one: Identity, other: Identity): boolean {
  return one.dev === other.dev && one.ino === other.ino;
}

interface Identity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** The number of checks of a path: it could be swapped back and forth between two checks, but hardly so many times. */
const looks = 4;

/** Throws when the opened file is not the one at its path now, inside the root. */
export async function checkOpened(root: Root, path: string, opened: Identity): Promise<void> {
  for (let look = 0; look < looks; look++) {
    const real = await realpath(path);
    if (!isInside(root, real)) throw outside(relative(root.path, path));
    if (!isSame(opened, await lstat(real, { bigint: true })))
      throw refused(relative(root.path, path), 'changed while it was opened. Try again.');
  }
}

function climbs(path: string): boolean {
  return path === '..' || path.startsWith('../') || path.startsWith('/');
}

/** Returns an absolute path relative to the root, by its text, or because one of the folders in it is the root. */
async function fromRoot(root: Root, path: string): Promise<string | undefined> {
  for (const start of [root.path, root.given]) {
    const within = relative(start, path);
    if (!climbs(within)) return within;
  }
  const own = await stat(root.path, { bigint: true });
  const below: string[] = [];
  for (let at = normalize(path).replace(/\/$/, ''); at !== '' && at !== '/'; at = dirname(at)) {
    // A folder on the way may be missing or closed to this user.
    const there = await stat(at, { bigint: true }).catch(() => undefined);
    if (there !== undefined && isSame(own, there)) return below.join('/');
    below.unshift(basename(at));
  }
  return undefined;
}
