import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isHeldFile } from '../../events/held-files.ts';
import type { ClosedRepository } from '../../agents/git/closed-repository.ts';
import { readSmallFile } from '../../agents/git/small-file.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

/** The file of a project that names the untracked files which a worktree needs, in the syntax of `.gitignore`. */
export const includeFile = '.worktreeinclude';

const mostFiles = 10_000;

/**
 * Copies the untracked files that `.worktreeinclude` names, such as `.env`; returns their paths. Throws
 * `worktree_unavailable` when it is not a regular file, or names too many files.
 */
export async function copyIncluded(
  repository: ClosedRepository,
  target: string,
  index: string,
): Promise<readonly string[]> {
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
