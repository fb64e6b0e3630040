import { createHash, type Hash } from 'node:crypto';
import { type Dirent, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { isHeldFile } from '../../../events/held-files.ts';
import { type IgnoreRules, ignoreRules } from '../../workspace/ignore-rules.ts';
import type { BlobStore } from './blob-store.ts';
import type { UncoveredReason } from './checkpoint.ts';
import {
  type BytePath,
  type FileState,
  fileState,
  folderState,
  linkState,
  lookAt,
  pathText,
  readRegularFile,
  systemPath,
} from './file-state.ts';

/** The entry of a path in a snapshot: its state, or the reason that it is not covered. */
export type SnapshotEntry = {
  /** Differs whenever the path was changed. */
  readonly stamp: string;
  /** When it was looked at, in milliseconds. */
  readonly at: number;
} & ({ readonly state: FileState; readonly reason?: never } | { readonly state: ''; readonly reason: UncoveredReason });

export type SnapshotEntries = ReadonlyMap<BytePath, SnapshotEntry>;

export interface SnapshotWalk {
  readonly blobs: BlobStore;
  /** The newest snapshot: unchanged files are not read again, and covered paths remain covered. */
  readonly known: SnapshotEntries;
  readonly maxMs: number;
  readonly maxFileBytes: number;
  /** A folder to skip. */
  readonly leaveOut: string;
}

/** The folder is too large for the time limit. */
export class SnapshotTimeout extends Error {}

/** Returns the entries below a folder, including those that are not covered. Follows no link. */
export async function walkSnapshot(folder: string, walk: SnapshotWalk): Promise<SnapshotEntries> {
  const walker = new Walker(folder, walk);
  await walker.walk('', [], false);
  return walker.entries;
}

/** The rules of a `.gitignore` file and the length of the path of its folder. */
interface RulesBelow {
  readonly rules: IgnoreRules;
  readonly skip: number;
}

/** File systems note times in steps: a file that changed that shortly before it was read may have changed again. */
const unsureMs = 2_000;
/** How long others wait at most. */
const sliceMs = 10;
/** How many files of one ignored folder, and of all of them, are compared. */
const mostWatched = 2_000;
const mostWatchedInAll = 10_000;
/** The parts of `.git` that grow with every command and mean nothing alone. */
const unwatchedGitData: ReadonlySet<string> = new Set(['objects', 'logs']);

class Walker {
  readonly entries = new Map<BytePath, SnapshotEntry>();
  readonly #root: BytePath;
  readonly #walk: SnapshotWalk;
  readonly #at = Date.now();
  readonly #leaveOut: BytePath;
  #sliceEnd = performance.now() + sliceMs;
  readonly #deadline: number;
  #watched = 0;

  constructor(folder: string, walk: SnapshotWalk) {
    this.#root = Buffer.from(folder).toString('latin1');
    this.#leaveOut = Buffer.from(walk.leaveOut).toString('latin1');
    this.#walk = walk;
    this.#deadline = performance.now() + walk.maxMs;
  }

  async walk(folder: BytePath, above: readonly RulesBelow[], isIgnored: boolean): Promise<void> {
    this.#checkDeadline();
    const children = this.#list(folder);
    if (children === undefined) {
      const known = this.entries.get(folder);
      if (known !== undefined) this.#leave(folder, known.stamp, 'unreadable');
      return;
    }
    const own = children.some(({ name }) => name === '.gitignore') ? this.#readRules(folder) : undefined;
    const rules = own === undefined ? above : [{ rules: own, skip: folder.length }, ...above];
    for (const child of children) {
      if (performance.now() > this.#sliceEnd) await this.#pause();
      const path = folder === '' ? child.name : `${folder}/${child.name}`;
      const stats = lookAt(this.#full(path));
      if (stats === undefined || isHeldFile(stats) || `${this.#root}/${path}` === this.#leaveOut) continue;
      const isFolder = stats.isDirectory();
      const ignored = isIgnored || isIgnoredBy(rules, path, isFolder);
      if (child.name.toLowerCase() === '.git') this.#watch(path, stats, 'git');
      else if (ignored && (this.#walk.known.get(path)?.state ?? '') === '') this.#watch(path, stats, 'ignored');
      else if (!isFolder) this.#take(path, stats);
      else {
        const stamp = `folder ${stats.ino} ${stats.mode}`;
        this.entries.set(path, { stamp, at: this.#at, state: folderState(stats) });
        await this.walk(path, rules, ignored);
      }
    }
  }

  /** Adds a file or link to the snapshot; an unchanged one is not read again. */
  #take(path: BytePath, stats: Stats): void {
    const stamp = toStamp(stats);
    const known = this.#walk.known.get(path);
    if (known?.stamp === stamp && known.at - stats.ctimeMs > unsureMs) {
      this.entries.set(path, known);
      return;
    }
    if (stats.size > this.#walk.maxFileBytes) return this.#leave(path, stamp, 'large');
    try {
      const state = this.#store(path, stats);
      if (state === undefined) this.#leave(path, stamp, 'special');
      else this.entries.set(path, { stamp, at: this.#at, state });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT') return;
      if (code !== 'EACCES' && code !== 'EPERM' && code !== 'EIO') throw error;
      this.#leave(path, stamp, 'unreadable');
    }
  }

  /** Stores the bytes of a file or the target of a link; undefined for anything else. */
  #store(path: BytePath, stats: Stats): FileState | undefined {
    const { blobs } = this.#walk;
    if (stats.isSymbolicLink()) return linkState(blobs.put(readlinkSync(this.#full(path), 'buffer')));
    const read = stats.isFile() ? readRegularFile(this.#full(path)) : undefined;
    return read && fileState(read.stats, blobs.put(read.bytes));
  }

  /** Records a path that is not covered, with its contents, so that changes are detected. */
  #watch(path: BytePath, stats: Stats, reason: 'git' | 'ignored'): void {
    if (!stats.isDirectory()) return this.#leave(path, toStamp(stats), reason);
    const isGit = reason === 'git';
    const hash = createHash('sha1').update(`${stats.mode}\0`);
    const count = this.#stampAll(path, hash, { isGit, left: Math.min(mostWatched, mostWatchedInAll - this.#watched) });
    if (count === undefined) this.#leave(path, `unwatched ${stats.mode}`, 'unwatched');
    else {
      this.#watched += count;
      this.#leave(path, hash.digest('hex'), reason);
    }
  }

  /** Adds the stamps of everything in a folder; returns their number, undefined when there are too many. */
  #stampAll(
    folder: BytePath,
    hash: Hash,
    { isGit, left }: { readonly isGit: boolean; readonly left: number },
  ): number | undefined {
    let count = 0;
    if (this.#walk.known.get(folder)?.reason === 'unwatched') return undefined;
    for (const { name } of this.#list(folder) ?? []) {
      if (isGit && unwatchedGitData.has(name)) continue;
      const path = `${folder}/${name}`;
      const stats = lookAt(this.#full(path));
      if (stats === undefined) continue;
      hash.update(`${name}\0${stats.isDirectory() ? stats.mode : toStamp(stats)}\0`);
      count++;
      const below = stats.isDirectory() ? this.#stampAll(path, hash, { isGit, left: left - count }) : 0;
      if (below === undefined || (count += below) > left) return undefined;
      hash.update('/');
    }
    return count;
  }

  #leave(path: BytePath, stamp: string, reason: UncoveredReason): void {
    this.entries.set(path, { stamp, at: this.#at, state: '', reason });
  }

  #list(folder: BytePath): Dirent[] | undefined {
    try {
      return readdirSync(this.#full(folder), { withFileTypes: true, encoding: 'latin1' });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return [];
      if (folder === '') throw error;
      return undefined;
    }
  }

  #readRules(folder: BytePath): IgnoreRules | undefined {
    try {
      const read = readRegularFile(this.#full(folder === '' ? '.gitignore' : `${folder}/.gitignore`));
      return read && ignoreRules(read.bytes.toString('utf8'));
    } catch {
      return undefined; // A link or an unreadable file has no rules, as for git.
    }
  }

  #full(path: BytePath): Buffer {
    return systemPath(path === '' ? this.#root : `${this.#root}/${path}`);
  }

  #checkDeadline(): void {
    if (performance.now() > this.#deadline)
      throw new SnapshotTimeout(`a snapshot of the folder takes longer than ${this.#walk.maxMs} ms`);
  }

  async #pause(): Promise<void> {
    this.#checkDeadline();
    await new Promise(resolve => void setImmediate(resolve));
    this.#sliceEnd = performance.now() + sliceMs;
  }
}

function isIgnoredBy(above: readonly RulesBelow[], path: BytePath, isFolder: boolean): boolean {
  for (const { rules, skip } of above) {
    const below = pathText(skip === 0 ? path : path.slice(skip + 1));
    const decided = rules.decide(below, isFolder);
    if (decided !== undefined) return decided;
  }
  return false;
}

function toStamp({ mode, size, mtimeMs, ctimeMs, ino, dev }: Stats): string {
  return `${mode} ${size} ${mtimeMs} ${ctimeMs} ${ino} ${dev}`;
}
