import { join, resolve } from 'node:path';
import { ClosedRepository, locateRepository } from '../git/closed-repository.ts';
import { GitFailure, type GitOutput } from '../git/run-git.ts';
import { comparePaths, joined, walkFiles, type FileWalk, mostFiles } from './file-walk.ts';
import { type ProgramCall, programFor, runProgram } from './program.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** The options of ripgrep: its defaults, with hidden files, ordered by name. */
export const ripgrepWalk: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--hidden',
  '--glob=!.git',
  '--sort=path',
];

/** The exit code of ripgrep for an error, such as an unreadable folder. */
export const ripgrepFailed = 2;

/**
 * Yields the paths of the regular files below a folder, relative to it and ordered by name. Omits what git ignores:
 * without ripgrep and git, by the `.gitignore` files alone. Follows no link.
 */
export async function* findFiles(workspace: WorkspaceFolder, folder: string, walk: FileWalk): AsyncGenerator<string> {
  const real = await workspace.withFolder(folder, async opened => opened.real);
  const ripgrep = await programFor(workspace, 'rg');
  if (ripgrep !== undefined) {
    const args = [...ripgrepWalk, '--files'];
    const { lines, exitCode } = await listed(workspace, folder, { command: ripgrep, args, walk });
    if (exitCode === ripgrepFailed) walk.skipped.add('unreadable');
    yield* lines;
    return;
  }
  const found = await listByGit(workspace, folder, walk);
  if (found === undefined) {
    yield* walkFiles(workspace, real, walk);
    return;
  }
  if (found.warnings !== '') walk.skipped.add('unreadable');
  const lines = found.output.toString('utf8').split('\n').filter(Boolean);
  if (lines.length > mostFiles) walk.skipped.add('beyondLimit');
  for (const path of lines.slice(0, mostFiles).toSorted(comparePaths)) {
    // It was removed while the list was made, or may not be seen.
    const found = await workspace.look(joined(real, path), { keepLink: true }).catch(() => undefined);
    if (found?.kind === 'file') yield path;
    if (found?.kind === 'folder') walk.skipped.add('repositories');
  }
}

const gitArguments = ['ls-files', '--cached', '--others', '--exclude-standard', '--deduplicate'];
const timeoutMs = 60_000;

/** Lists the files of a folder by git, with the index of its repository; undefined where that is not possible. */
async function listByGit(
  workspace: WorkspaceFolder,
  folder: string,
  { signal }: FileWalk,
): Promise<GitOutput | undefined> {
  try {
    return await workspace.withFolder(folder, async ({ path, real }) => {
      const located = locateRepository(resolve(workspace.root, real));
      if (located === undefined) return undefined;
      const call = { cwd: path, index: join(located.gitDir, 'index'), signal, host: workspace };
      return ClosedRepository.use(located, timeoutMs, repository => repository.run(gitArguments, call));
    });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof GitFailure) return undefined;
    throw error;
  }
}

interface Listing extends Pick<ProgramCall, 'command' | 'args'> {
  readonly walk: FileWalk;
}

/** The output of a program in a folder, and its exit code. */
async function listed(workspace: WorkspaceFolder, folder: string, { walk, ...call }: Listing) {
  const lines: string[] = [];
  const exitCode = await workspace.withFolder(folder, ({ path }) =>
    runProgram(workspace, { ...call, cwd: path, signal: walk.signal }, (line, stream) => {
      if (stream === 'stderr') return true;
      if (lines.length < mostFiles) return lines.push(line) > 0;
      walk.skipped.add('beyondLimit');
      return false;
    }),
  );
  return { lines, exitCode };
}
