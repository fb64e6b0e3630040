import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { isHeldFile } from '../../../events/held-files.ts';

/**
 * The state of a path as text: `0644 3b18e5…` for a file with its permissions and the hash of its bytes, `120000 …` for
 * a link, `folder 0755` for a folder. Checkpoints of earlier versions have `100644` or `100755` for a file: they record
 * only whether it is executable.
 */
export type FileState = string;

const linkMode = '120000';
const folderMark = 'folder';

/** A name or path as the bytes of the file system, one character for each byte. */
export type BytePath = string;

/** Returns a path in the form that the functions of `node:fs` take. */
export function systemPath(path: BytePath): Buffer {
  return Buffer.from(path, 'latin1');
}

/** Returns the text of a path; invalid UTF-8 is replaced. */
export function pathText(path: BytePath): string {
  return isAscii.test(path) ? path : systemPath(path).toString('utf8');
}

// oxlint-disable-next-line no-control-regex
const isAscii = /^[\0-\x7f]*$/;

/** Returns the hash of a content, as git computes it for a blob. */
export function hashContent(bytes: Uint8Array): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

/** The state of a file with some permissions and content. */
export function fileState({ mode }: Stats, hash: string): FileState {
  return `${permissionText(mode)} ${hash}`;
}

/** The state of a link whose target has a hash. */
export function linkState(hash: string): FileState {
  return `${linkMode} ${hash}`;
}

export function folderState({ mode }: Stats): FileState {
  return `${folderMark} ${permissionText(mode)}`;
}

/** The parts of a state: its kind, its permissions (those of a new file where they are unknown), and its content. */
export interface ParsedState {
  readonly kind: 'file' | 'link' | 'folder';
  readonly permissions: number;
  readonly hash: string;
}

/** Parses a state; returns undefined for an invalid text. */
export function parseState(state: FileState): ParsedState | undefined {
  const [first = '', second = ''] = state.split(' ');
  if (first === folderMark && isPermissions.test(second))
    return { kind: 'folder', permissions: Number.parseInt(second, 8), hash: '' };
  if (!isHash.test(second)) return undefined;
  if (first === linkMode) return { kind: 'link', permissions: 0, hash: second };
  if (first === '100644') return { kind: 'file', permissions: 0o666 & ~process.umask(), hash: second };
  if (first === '100755') return { kind: 'file', permissions: 0o755, hash: second };
  if (!isPermissions.test(first)) return undefined;
  return { kind: 'file', permissions: Number.parseInt(first, 8), hash: second };
}

const isPermissions = /^[0-7]{4}$/;
const isHash = /^[0-9a-f]{40,64}$/;

/** Whether a path is in a recorded state; unrecorded permissions are ignored. */
export function isSameState(current: FileState | undefined, recorded: FileState | undefined): boolean {
  if (current === recorded) return true;
  if (current === undefined || recorded?.startsWith('100') !== true) return false;
  const { kind, permissions, hash } = parseState(current) ?? {};
  return kind === 'file' && recorded === `${((permissions ?? 0) & 0o100) === 0 ? '100644' : '100755'} ${hash}`;
}

/** Returns the stats of a path without following a link; undefined when the path does not exist. */
export function lookAt(path: Buffer): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}

/** Returns the bytes and the stats of a regular file; follows no link and never waits for a pipe. */
export function readRegularFile(path: Buffer): { readonly stats: Stats; readonly bytes: Buffer } | undefined {
  const file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = fstatSync(file);
    return stats.isFile() ? { stats, bytes: readFileSync(file) } : undefined;
  } finally {
    closeSync(file);
  }
}

/** Returns the current state of a path: undefined when nothing exists, `special` for other kinds of entries. */
export function readState(path: Buffer): FileState | undefined {
  const stats = lookAt(path);
  if (stats === undefined) return undefined;
  if (stats.isSymbolicLink()) return linkState(hashContent(readlinkSync(path, 'buffer')));
  if (stats.isDirectory()) return folderState(stats);
  const read = stats.isFile() && !isHeldFile(stats) ? readRegularFile(path) : undefined;
  return read === undefined ? 'special' : fileState(read.stats, hashContent(read.bytes));
}

function permissionText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
