import { existsSync, mkdirSync, realpathSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { environmentField, type EnvironmentPolicy } from '../../agents/process/environment.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { type ClosedRepository, locateRepository } from '../../agents/git/closed-repository.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name as nameField } from '../../base/options/option-fields.ts';
import { SerialQueues } from '../../base/serial-queue.ts';
import {
  applyPatch,
  snapshotTree,
  type ChangedFile,
  changedFiles,
  filePatch,
  patchBetween,
} from './worktree-changes.ts';
import { findRepository, makeWorktree, markBase, openRepository, readBase, removeEntry } from './make-worktree.ts';
import { checkBranchPrefix, worktreeName, readRecords, type WorktreeRecord, writeRecord } from './worktree-record.ts';

export interface WorktreesOptions {
  /** The data folder: worktrees are in its `worktrees`, never in a project. */
  readonly home: string;
  /** The folder that agents work in: worktrees are of its repository. */
  readonly folder: string;
  /** A command that prepares a new worktree, such as `npm ci`. */
  readonly setup?: string;
  /** The variables of this process that the setup command gets; by default the few that every program needs. */
  readonly environment?: EnvironmentPolicy;
}

const checkOptions = optionsCheck<WorktreesOptions>('new Worktrees')(() => ({
  home: nameField(),
  folder: nameField(),
  setup: nameField().optional(),
  environment: environmentField().optional(),
}));

export interface NewWorktree {
  readonly threadId: string;
  readonly agentId: string;
  /** The beginning of its branch. Default: `singletree`. */
  readonly branch?: string;
  /** Whether it begins with the uncommitted changes of the folder. Default: true. */
  readonly uncommitted?: boolean;
}

/** A worktree and its changes. */
export interface WorktreeState extends WorktreeRecord {
  readonly exists: boolean;
  readonly files: readonly ChangedFile[];
  /** Whether its branch has commits beyond the one it began with. */
  readonly hasCommits: boolean;
  /** Whether nothing would be lost with it: no changes and no commits, or all of them kept. */
  readonly isClean: boolean;
}

/** Manages the git worktrees of threads: in the data folder, each on a separate branch. */
export class Worktrees {
  readonly folder: string;
  readonly setup: string | undefined;
  readonly environment: EnvironmentPolicy | undefined;
  readonly #home: string;
  /** Git locks a repository while worktrees are added and removed. */
  readonly #queues = new SerialQueues();

  /** Throws `invalid_argument` for options that are unknown, missing or invalid. */
  constructor(options: WorktreesOptions) {
    checkOptions(options);
    this.folder = realpathSync(options.folder);
    this.setup = options.setup;
    this.environment = options.environment;
    mkdirSync(options.home, { recursive: true, mode: 0o700 });
    this.#home = join(realpathSync(options.home), 'worktrees');
  }

  /** Makes a worktree for a thread; returns the reason when the folder cannot have one. */
  async create(request: NewWorktree): Promise<WorktreeRecord | { readonly problem: string }> {
    const { threadId, agentId, branch: prefix = 'singletree', uncommitted = true } = request;
    checkBranchPrefix(prefix);
    const name = worktreeName(agentId);
    const own = join(this.#home, name);
    const found = await findRepository(this.folder, own);
    if ('problem' in found) {
      await rm(own, { recursive: true, force: true });
      return found;
    }
    const record = { name, threadId, agentId, branch: `${prefix}/${name}`, origin: this.folder };
    return this.#queues.run(found.repository.located.commonDir, () =>
      makeWorktree({ home: this.#home, ...found, record, uncommitted }).catch(async error => {
        await rm(own, { recursive: true, force: true });
        return failed(error);
      }),
    );
  }

  /** Returns the records of all worktrees, oldest first. */
  records(): Promise<readonly WorktreeRecord[]> {
    return readRecords(this.#home);
  }

  /** Returns the worktree of a thread; undefined when it has none. */
  async find(threadId: string): Promise<WorktreeRecord | undefined> {
    return (await this.records()).find(record => record.threadId === threadId);
  }

  /** Returns the changes in a worktree since its base was recorded. */
  async state(record: WorktreeRecord): Promise<WorktreeState> {
    const removed = { ...record, exists: false, files: [], hasCommits: false, isClean: true };
    if (!existsSync(record.path)) return removed;
    try {
      const { repository, base, now } = await this.#trees(record);
      const files = await changedFiles(repository, base, now);
      const hasCommits = (await repository.line(['rev-parse', 'HEAD'])) !== record.head;
      const isClean = now === record.kept || (now === base && !hasCommits);
      return { ...record, exists: true, files, hasCommits, isClean };
    } catch (error) {
      // It may have been removed in the meantime.
      return existsSync(record.path) ? failed(error) : removed;
    }
  }

  /** Returns the hunks of one file that was changed in a worktree; throws `not_found` for a path that leads out of it. */
  async readPatch(record: WorktreeRecord, path: string): Promise<string> {
    if (isAbsolute(path) || path.split('/').includes('..'))
      throw new SingletreeError('not_found', `There is no file ${JSON.stringify(path)} in the worktree.`);
    const { repository, base, now } = await this.#trees(record).catch(failed);
    return filePatch(repository, [base, now], path).catch(failed);
  }

  /** Makes the files as they are now the beginning of a worktree: its changes count from here. */
  async begin(record: WorktreeRecord): Promise<void> {
    const repository = await this.#open(record).catch(failed);
    await markBase(repository, { own: join(this.#home, record.name), path: record.path }).catch(failed);
  }

  /**
   * Applies the changes of a worktree to the files of the repository it belongs to, all or none, without a commit.
   * Returns the changed files; throws `apply_conflict` with the files that differ too much.
   */
  async keep(record: WorktreeRecord): Promise<readonly string[]> {
    return this.#queues.run(record.root, async () => {
      const { repository, base, now } = await this.#trees(record).catch(failed);
      if (now === record.kept) return [];
      const files = await changedFiles(repository, record.kept ?? base, now).catch(failed);
      if (files.length > 0) {
        const patch = await patchBetween(repository, record.kept ?? base, now).catch(failed);
        await applyPatch(repository, record.root, patch);
      }
      await writeRecord(this.#home, { ...record, kept: now });
      return files.map(({ path }) => path);
    });
  }

  /**
   * Removes a worktree, and its branch if that has no new commits. Throws `worktree_changed` when changes would be
   * lost, unless `force` is set.
   */
  async remove(record: WorktreeRecord, { force = false }: { readonly force?: boolean } = {}): Promise<void> {
    const { isClean, files, hasCommits } = await this.state(record).catch(error => {
      if (!force) throw error;
      return { isClean: false, files: [], hasCommits: true };
    });
    if (!isClean && !force)
      throw new SingletreeError(
        'worktree_changed',
        `The worktree ${record.path} has ${hasCommits ? 'commits' : `changes in ${files.length} ${files.length === 1 ? 'file' : 'files'}`} that were not kept. Keep them, or remove it with force.`,
        { details: { files: files.map(({ path }) => path) } },
      );
    await this.#queues.run(record.root, async () => {
      const own = join(this.#home, record.name);
      // Renames it in one step: a concurrent reader finds all of it or nothing.
      if (existsSync(record.path)) await rename(record.path, join(own, 'removed'));
      const located = existsSync(record.root) ? locateRepository(record.root) : undefined;
      if (located !== undefined) {
        await removeEntry(located.commonDir, record.path);
        const repository = await openRepository(located, own);
        // Only a branch that is still where it began is deleted.
        await repository.run(['update-ref', '-d', `refs/heads/${record.branch}`, record.head]).catch(() => {});
      }
      // A concurrent reader may still be reading its state.
      await rm(own, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    });
  }

  async #open(record: WorktreeRecord): Promise<ClosedRepository> {
    const located = locateRepository(record.path);
    if (located?.top !== record.path) throw new GitFailure(`${record.path} is not a worktree any more`);
    return openRepository(located, join(this.#home, record.name));
  }

  async #trees(record: WorktreeRecord) {
    const repository = await this.#open(record);
    const place = { own: join(this.#home, record.name), path: record.path };
    const base = await readBase(repository, place);
    return { repository, base, now: await snapshotTree(repository, place.path, join(place.own, 'index')) };
  }
}

function failed(error: unknown): never {
  if (!(error instanceof GitFailure)) throw error;
  throw new SingletreeError('worktree_unavailable', `The worktree cannot be used: ${error.message}.`, { cause: error });
}
