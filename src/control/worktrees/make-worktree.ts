import { mkdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { newId } from '../../events/index.ts';
import { type FoundRepository, ProjectGit } from './project-git.ts';
import { copyIncluded } from './worktree-include.ts';
import { type WorktreeRecord, writeRecord } from './worktree-record.ts';

/** The reference in a worktree to the tree it began with; git removes it with the worktree. */
export const baseRef = 'refs/worktree/singletree/base';

export interface MakeWorktree {
  /** The folder of all worktrees. */
  readonly home: string;
  readonly repository: Extract<FoundRepository, { root: string }>;
  readonly record: Pick<WorktreeRecord, 'name' | 'threadId' | 'agentId' | 'branch' | 'origin'>;
  /** Whether it begins with the uncommitted changes of the folder. */
  readonly uncommitted: boolean;
}

/** Makes a worktree on a new branch, with the files of `.worktreeinclude`; leaves nothing behind when it fails. */
export async function makeWorktree({ home, repository, record, uncommitted }: MakeWorktree): Promise<WorktreeRecord> {
  const { root, prefix, head, git } = repository;
  const { name, branch } = record;
  const own = join(home, name);
  const path = join(own, basename(root) || 'project');
  await mkdir(own, { recursive: true, mode: 0o700 });
  const isNew = await git
    .run(['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])
    .then(() => false)
    .catch(() => true);
  try {
    await git.run(['worktree', 'add', '--quiet', '--no-checkout', '-b', branch, path, head]);
    const inside = new ProjectGit(path);
    const start = uncommitted ? await git.snapshot(join(own, `index-${newId()}`)) : `${head}^{tree}`;
    await inside.run(['read-tree', '-u', '--reset', start]);
    if (uncommitted) await inside.run(['read-tree', head]);
    await copyIncluded(git, path);
    await mkdir(join(path, prefix), { recursive: true });
    await markBase(inside, own);
    const made = { ...record, path, folder: resolve(path, prefix), root, head, createdAt: new Date().toISOString() };
    await writeRecord(home, made);
    return made;
  } catch (error) {
    await git.run(['worktree', 'remove', '--force', path]).catch(() => {});
    if (isNew) await git.run(['update-ref', '-d', `refs/heads/${branch}`, head]).catch(() => {});
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

/** Makes the files as they are now the beginning of a worktree: its changes count from here. */
export async function markBase(git: ProjectGit, scratch: string): Promise<void> {
  await git.run(['update-ref', baseRef, await git.snapshot(join(scratch, `index-${newId()}`))]);
}
