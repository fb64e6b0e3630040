import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { defined } from '../../../base/defined.ts';
import { errorText } from '../../../base/error-text.ts';
import { Semaphore } from '../../semaphore.ts';
import { BlobStore } from './blob-store.ts';
import { type SnapshotChange, type UncoveredPath, writePath } from './checkpoint.ts';
import { type SnapshotEntries, SnapshotTimeout, walkSnapshot } from './walk-snapshot.ts';

export interface ShadowRepositoryOptions {
  /** The folder for snapshots of all work trees. */
  readonly folder: string;
  readonly workTree: string;
  /** The time limit of one snapshot, in milliseconds. Default: 10,000. */
  readonly maxMs?: number;
  /** The size above which snapshots skip a file, in bytes. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /** The size above which older snapshots are removed, in bytes. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/** A snapshot, or the reason that none could be taken. */
export type Snapshot = { readonly entries: SnapshotEntries } | { readonly problem: string };

/** The difference between two snapshots. */
export interface SnapshotDifference {
  /** Changed paths that are a file or link in one of the snapshots. */
  readonly files: readonly SnapshotChange[];
  readonly folders: readonly SnapshotChange[];
  /** Changed paths that the snapshots do not contain. */
  readonly uncovered: readonly UncoveredPath[];
}

/**
 * Stores snapshots of a folder outside of it: its files with their bytes and permissions, its links and its folders.
 * Runs no other program, so project settings and attributes have no effect, and modifies no git repository. Skips
 * `.git` and the files that git ignores.
 */
export class ShadowRepository {
  readonly #options: Required<ShadowRepositoryOptions>;
  readonly #blobs: BlobStore;
  readonly #oneAtATime = new Semaphore(1);
  #generation: number | undefined;
  #newest: SnapshotEntries = new Map();
  #problem: string | undefined;

  constructor(options: ShadowRepositoryOptions) {
    const workTree = realpathSync(options.workTree);
    const { folder, maxMs = 10_000, maxFileBytes = 10 * 1024 * 1024, maxBytes = 1024 ** 3 } = options;
    this.#options = { folder, workTree, maxMs, maxFileBytes, maxBytes };
    this.#blobs = new BlobStore(join(folder, createHash('sha256').update(workTree).digest('hex').slice(0, 32)));
  }

  /** The folder that the snapshots are of. */
  get workTree(): string {
    return this.#options.workTree;
  }

  /** Takes a snapshot. After the folder exceeds the time limit once, all later calls return that problem. */
  async snapshot(): Promise<Snapshot> {
    const release = await this.#oneAtATime.acquire(new AbortController().signal);
    try {
      if (this.#problem !== undefined) return { problem: this.#problem };
      this.#prepare();
      const { maxMs, maxFileBytes, workTree, folder } = this.#options;
      const limits = { maxMs, maxFileBytes, leaveOut: folder };
      this.#newest = await walkSnapshot(workTree, { ...limits, blobs: this.#blobs, known: this.#newest });
      return { entries: this.#newest };
    } catch (error) {
      const problem = errorText(error);
      if (error instanceof SnapshotTimeout) this.#problem = problem;
      return { problem };
    } finally {
      release();
    }
  }

  /** Returns the difference between two snapshots, ordered by path. */
  compare(before: SnapshotEntries, after: SnapshotEntries): SnapshotDifference {
    const files: SnapshotChange[] = [];
    const folders: SnapshotChange[] = [];
    const uncovered: UncoveredPath[] = [];
    const paths = new Set([...before.keys(), ...after.keys()]);
    for (const path of [...paths].filter(path => before.get(path) !== after.get(path)).toSorted()) {
      const [old, now] = [before.get(path), after.get(path)];
      const reason = now?.reason ?? old?.reason;
      if (reason !== undefined) {
        if (old?.stamp !== now?.stamp) uncovered.push({ ...writePath(path), reason });
      } else if (old?.state !== now?.state) {
        const isOfFolders = [old, now].every(entry => entry?.state.startsWith('folder') !== false);
        const change = { ...writePath(path), ...defined({ before: old?.state, after: now?.state }) };
        (isOfFolders ? folders : files).push(change);
      }
    }
    return { files, folders, uncovered };
  }

  /** The content of a file of a snapshot; throws when it is not stored any more. */
  content(hash: string): Buffer {
    return this.#blobs.get(hash);
  }

  #prepare(): void {
    if (this.#generation !== undefined && this.#generation === this.#blobs.generation) return;
    this.#blobs.open(this.#options.maxBytes);
    this.#generation = this.#blobs.generation;
    this.#newest = new Map();
  }
}
