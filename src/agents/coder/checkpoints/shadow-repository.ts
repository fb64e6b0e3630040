import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Semaphore } from '../../semaphore.ts';
import { GitFailure } from '../../git/run-git.ts';
import { git } from './git.ts';
import { defined } from '../../../events/defined.ts';

export interface ShadowRepositoryOptions {
  /** The folder for snapshots of all work trees. */
  readonly folder: string;
  readonly workTree: string;
  /** The time limit of one snapshot, in milliseconds. Default: 10,000. */
  readonly maxMs?: number;
  /** The size above which a file is left out of snapshots, in bytes. Default: 10 MiB. */
  readonly maxFileBytes?: number;
  /** The size above which older snapshots are removed, in bytes. Default: 1 GiB. */
  readonly maxBytes?: number;
}

/**
 * A file that differs between two snapshots: its mode and the hash of its content before and after, such as
 * `100644 3b18e5…`; absent when it did not exist.
 */
export interface SnapshotChange {
  readonly path: string;
  readonly before?: string;
  readonly after?: string;
}

/** A snapshot, or the reason that there is none. */
export type Snapshot = { readonly tree: string; readonly leftOut: readonly string[] } | { readonly problem: string };

const nothing = /^0+$/;

/**
 * Snapshots of a folder in a git repository of our own, outside of it: neither the index nor the history of the
 * person's repository is touched, and what git ignores is left out.
 */
export class ShadowRepository {
  readonly #options: Required<ShadowRepositoryOptions>;
  readonly #gitDir: string;
  readonly #index: string;
  readonly #oneAtATime = new Semaphore(1);
  #isReady = false;
  #problem: string | undefined;

  constructor(options: ShadowRepositoryOptions) {
    const workTree = realpathSync(options.workTree);
    const { folder, maxMs = 10_000, maxFileBytes = 10 * 1024 * 1024, maxBytes = 1024 ** 3 } = options;
    this.#options = { folder, workTree, maxMs, maxFileBytes, maxBytes };
    this.#gitDir = join(folder, createHash('sha256').update(workTree).digest('hex').slice(0, 32));
    this.#index = join(this.#gitDir, `index-${process.pid}`);
  }

  /** The folder that the snapshots are of. */
  get workTree(): string {
    return this.#options.workTree;
  }

  /** Takes a snapshot. A folder that is too large for the time limit, or a missing git, is a problem from then on. */
  async snapshot(): Promise<Snapshot> {
    const release = await this.#oneAtATime.acquire(new AbortController().signal);
    try {
      if (this.#problem !== undefined) return { problem: this.#problem };
      await this.#prepare();
      const leftOut = await this.#addChanges();
      return { tree: await this.#line(['write-tree']), leftOut };
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error;
      if (error.isMissing || error.isTooSlow) this.#problem = error.message;
      return { problem: error.message };
    } finally {
      release();
    }
  }

  /** The files that differ between two snapshots. */
  async changes(before: string, after: string): Promise<SnapshotChange[]> {
    if (before === after) return [];
    const output = await this.#git(['diff-tree', '-r', '-z', '--no-renames', before, after]);
    const fields = output.toString('utf8').split('\0');
    const changes: SnapshotChange[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [oldMode = '', mode = '', old = '', now = ''] = (fields[at] ?? '').slice(1).split(' ');
      changes.push({
        path: fields[at + 1] ?? '',
        ...(!nothing.test(old) && { before: `${oldMode} ${old}` }),
        ...(!nothing.test(now) && { after: `${mode} ${now}` }),
      });
    }
    return changes;
  }

  /** The content of a file of a snapshot. */
  content(hash: string): Promise<Buffer> {
    return this.#git(['cat-file', 'blob', hash]);
  }

  /** The hash that a content has in a snapshot. */
  hashOf(content: Uint8Array): Promise<string> {
    return this.#line(['hash-object', '--stdin'], content);
  }

  /** Removes what only this process used. */
  close(): void {
    rmSync(this.#index, { force: true });
  }

  async #prepare(): Promise<void> {
    if (this.#isReady && existsSync(this.#gitDir)) return;
    if (!existsSync(join(this.#gitDir, 'HEAD'))) {
      mkdirSync(this.#gitDir, { recursive: true, mode: 0o700 });
      await this.#git(['init', '--quiet']);
      writeFileSync(join(this.#gitDir, 'info', 'exclude'), '.git\n');
    } else if ((await this.#size()) > this.#options.maxBytes) {
      rmSync(this.#gitDir, { recursive: true, force: true });
      await this.#prepare();
    }
    this.#isReady = true;
  }

  /** Adds what differs from the last snapshot; returns the files that are too large. */
  async #addChanges(): Promise<string[]> {
    const listed = await this.#git(['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard']);
    const paths = [...new Set(listed.toString('utf8').split('\0').filter(Boolean))];
    const leftOut = paths.filter(path => this.#isTooLarge(path));
    const added = paths.filter(path => !leftOut.includes(path));
    if (added.length > 0)
      await this.#git(['add', '--all', '--pathspec-from-file=-', '--pathspec-file-nul'], added.join('\0'));
    return leftOut;
  }

  #isTooLarge(path: string): boolean {
    const found = lstatSync(join(this.#options.workTree, path), { throwIfNoEntry: false });
    return found?.isFile() === true && found.size > this.#options.maxFileBytes;
  }

  async #size(): Promise<number> {
    const text = (await this.#git(['count-objects', '-v'])).toString('utf8');
    const kilobytes = [...text.matchAll(/^size(?:-pack)?: (\d+)$/gm)].map(([, size]) => Number(size));
    return kilobytes.reduce((sum, size) => sum + size, 0) * 1024;
  }

  async #line(args: readonly string[], input?: Uint8Array): Promise<string> {
    return (await this.#git(args, input)).toString('utf8').trim();
  }

  #git(args: readonly string[], input?: string | Uint8Array): Promise<Buffer> {
    const { workTree, maxMs } = this.#options;
    return git(args, {
      gitDir: this.#gitDir,
      workTree,
      index: this.#index,
      timeoutMs: maxMs,
      ...defined({ input }),
    });
  }
}
