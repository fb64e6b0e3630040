import { constants, existsSync } from 'node:fs';
import { copyFile, lstat, mkdir, readlink, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ProjectGit } from './project-git.ts';

/** The file of a project that names the untracked files which a worktree needs, in the syntax of `.gitignore`. */
export const includeFile = '.worktreeinclude';

const mostFiles = 10_000;

/** Copies the untracked files that `.worktreeinclude` names, such as `.env`; returns their paths. */
export async function copyIncluded(git: ProjectGit, target: string): Promise<readonly string[]> {
  if (!existsSync(join(git.folder, includeFile))) return [];
  const output = await git.run(['ls-files', '-z', '--others', '--ignored', `--exclude-from=${includeFile}`]);
  const paths = output.toString('utf8').split('\0').filter(Boolean);
  if (paths.length > mostFiles)
    throw new Error(`${includeFile} names ${paths.length} files, more than ${mostFiles}. Name fewer of them`);
  const copied: string[] = [];
  for (const path of paths) if (await copyInto(git.folder, target, path)) copied.push(path);
  return copied;
}

async function copyInto(from: string, to: string, path: string): Promise<boolean> {
  const [source, target] = [join(from, path), join(to, path)];
  const found = await lstat(source).catch(() => undefined);
  if (found === undefined || !(await isInside(to, path))) return false;
  await mkdir(dirname(target), { recursive: true });
  if (found.isSymbolicLink()) await symlink(await readlink(source), target).catch(() => {});
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
