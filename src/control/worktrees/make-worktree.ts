import { existsSync, constants } from 'node:fs';
import { mkdir, readdir, rm, writeFile, copyFile, lstat, readlink, symlink } from 'node:fs/promises';
import { basename, join, resolve, dirname } from 'node:path';
import { ClosedRepository, type LocatedRepository, locateRepository } from '../../agents/git/closed-repository.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { readSmallFile } from '../../agents/git/small-file.ts';
import { snapshotTree } from './worktree-changes.ts';
import { type WorktreeRecord, writeRecord } from './worktree-record.ts';
import { isHeldFile } from '../../events/held-files.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

const timeoutMs = 120_000;

/** A repository with a commit, or the reason why a folder has none. */
export type FoundRepository =
  | { readonly repository: ClosedRepository; readonly head: string }
  | { readonly problem: string };

/** Opens the repository of a folder through the folder of a worktree. */
export async function findRepository(folder: string, own: string): Promise<FoundRepository> {
  const located = locateRepository(folder);
  if (located === undefined) return { problem: 'The folder is not in a git repository' };
  try {
    const repository = await openRepository(located, own);
    const head = await repository.findLine(['rev-parse', '--verify', 'HEAD^{commit}']);
    return head === undefined ? { problem: 'The repository has no commit yet' } : { repository, head };
  } catch (error) {
    if (!(error instanceof GitFailure)) throw error;
    return { problem: error.message };
  }
}

/** Opens a repository; git writes its private files to the folder `git` in `own`. */
export function openRepository(located: LocatedRepository, own: string): Promise<ClosedRepository> {
  return ClosedRepository.open(located, join(own, 'git'), timeoutMs);
}

export interface MakeWorktree {
  /** The folder of all worktrees. */
  readonly home: string;
  readonly repository: ClosedRepository;
  readonly head: string;
  readonly record: Pick<WorktreeRecord, 'name' | 'threadId' | 'agentId' | 'branch' | 'origin'>;
  /** Whether it begins with the uncommitted changes of the folder. */
  readonly uncommitted: boolean;
}

/**
 * Makes a worktree on a new branch, with the files of `.worktreeinclude`; leaves nothing behind when it fails. Its entry
 * in the repository is written here, since `git worktree add` would follow the configuration of the repository.
 */
export async function makeWorktree(request: MakeWorktree): Promise<WorktreeRecord> {
  const { home, repository, head, record, uncommitted } = request;
  const { top: root, prefix, commonDir } = repository.located;
  const { name, branch } = record;
  const own = join(home, name);
  const path = join(own, basename(root) || 'project');
  const entry = join(commonDir, 'worktrees', name);
  const ref = `refs/heads/${branch}`;
  // A branch that exists is refused.
  await repository.run(['update-ref', ref, head, '0'.repeat(head.length)]);
  try {
    await mkdir(path);
    await mkdir(entry, { recursive: true });
    await writeFile(join(entry, 'HEAD'), `ref: ${ref}\n`);
    await writeFile(join(entry, 'commondir'), '../..\n');
    await writeFile(join(entry, 'gitdir'), `${join(path, '.git')}\n`);
    await writeFile(join(path, '.git'), `gitdir: ${entry}\n`);
    const start = uncommitted ? await snapshotTree(repository, root, join(own, 'index-origin')) : `${head}^{tree}`;
    await repository.run(['read-tree', '-u', '--reset', start], { workTree: path, index: join(own, 'index') });
    await repository.run(['read-tree', head], { workTree: path, index: join(entry, 'index') });
    await copyIncluded(repository, path, join(entry, 'index'));
    await mkdir(join(path, prefix), { recursive: true });
    await markBase(repository, { own, path });
    const made = { ...record, path, folder: resolve(path, prefix), root, head, createdAt: new Date().toISOString() };
    await writeRecord(home, made);
    return made;
  } catch (error) {
    await rm(entry, { recursive: true, force: true });
    // The first error is the one to report; the branch may not exist yet.
    await repository.run(['update-ref', '-d', ref, head]).catch(() => {});
    throw error;
  }
}

interface WorktreePlace {
  /** The folder with the worktree and its private files. */
  readonly own: string;
  readonly path: string;
}

/** Makes the files as they are now the beginning of a worktree: its changes count from here. */
export async function markBase(repository: ClosedRepository, { own, path }: WorktreePlace): Promise<void> {
  await writeFile(join(own, 'base'), await snapshotTree(repository, path, join(own, 'index')));
}

/** Returns the tree that a worktree began with; one of an earlier version has it as a reference. */
export async function readBase(repository: ClosedRepository, { own }: WorktreePlace): Promise<string> {
  const base =
    readSmallFile(join(own, 'base')) ??
    readSmallFile(join(repository.located.gitDir, 'refs', 'worktree', 'singletree', 'base'));
  if (base !== undefined) return base.trim();
  throw new GitFailure('its beginning is not known any more');
}

/** Removes the entry of a worktree from its repository. */
export async function removeEntry(commonDir: string, path: string): Promise<void> {
  const folder = join(commonDir, 'worktrees');
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder)) {
    if (readSmallFile(join(folder, name, 'gitdir'))?.trim() === join(path, '.git'))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** The file of a project that names the untracked files which a worktree needs, in the syntax of `.gitignore`. */
export const includeFile = '.worktreeinclude';

const mostFiles = 10_000;

/**
 * Copies the untracked files that `.worktreeinclude` names, such as `.env`; returns their paths. Throws
 * `worktree_unavailable` when it is not a regular file, or names too many files.
 */
async function copyIncluded(repository: ClosedRepository, target: string, index: string): Promise<readonly string[]> {
  const { top } = repository.located;
  const patterns = readSmallFile(join(top, includeFile));
  if (patterns === undefined) {
    // It is optional.
    if ((await lstat(join(top, includeFile)).catch(() => undefined)) === undefined) return [];
    throw unusable('is not a regular file of at most 1 MB. Make it a text file with one pattern on each line');
  }
  // Git gets a copy: the file may be replaced by something that is not to be read.
  const copy = `${index}-include`;
  await writeFile(copy, patterns);
  const list = ['ls-files', '-z', '--others', '--ignored', `--exclude-from=${copy}`];
  const { output } = await repository.run(list, { index });
  await rm(copy);
  const paths = output.toString('utf8').split('\0').filter(Boolean);
  if (paths.length > mostFiles)
    throw unusable(`names ${paths.length} files, more than ${mostFiles}. Name fewer of them`);
  const copied: string[] = [];
  for (const path of paths) if (await copyInto(top, target, path)) copied.push(path);
  return copied;
}

function unusable(reason: string): SingletreeError {
  return new SingletreeError('worktree_unavailable', `The worktree cannot be made: ${includeFile} ${reason}.`);
}

async function copyInto(from: string, to: string, path: string): Promise<boolean> {
  const [source, target] = [join(from, path), join(to, path)];
  // It was removed since git listed it.
  const found = await lstat(source).catch(() => undefined);
  if (found === undefined || isHeldFile(found) || !(await isInside(to, path))) return false;
  await mkdir(dirname(target), { recursive: true });
  if (found.isSymbolicLink()) await symlink(await readlink(source), target).catch(ignoreExisting);
  else if (found.isFile()) await copyFile(source, target, constants.COPYFILE_EXCL).catch(ignoreExisting);
  else return false;
  return true;
}

/** Whether no folder on the way is a link, which may lead out of the worktree. */
async function isInside(root: string, path: string): Promise<boolean> {
  const names = path.split('/').slice(0, -1);
  for (let at = 1; at <= names.length; at++) {
    const found = await lstat(join(root, ...names.slice(0, at))).catch(() => undefined);
    if (found === undefined) return true;
    if (!found.isDirectory()) return false;
  }
  return true;
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}
