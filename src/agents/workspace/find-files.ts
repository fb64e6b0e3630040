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
  const git = await programFor(workspace, 'git');
  const { lines, exitCode, warned } =
    git === undefined
      ? { lines: [], exitCode: 1, warned: false }
      : await listed(workspace, folder, { command: git, args: gitArguments, walk });
  if (exitCode !== 0 && exitCode !== undefined) {
    yield* walkFiles(workspace, real, walk);
    return;
  }
  if (warned) walk.skipped.add('unreadable');
  for (const path of lines.toSorted(comparePaths)) {
    const found = await workspace.look(joined(real, path), { keepLink: true }).catch(() => undefined);
    if (found?.kind === 'file') yield path;
    if (found?.kind === 'folder') walk.skipped.add('repositories');
  }
}

/** Nothing that the repository configures is executed. */
const gitArguments: readonly string[] = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.quotePath=false',
  'ls-files',
  '--cached',
  '--others',
  '--exclude-standard',
  '--deduplicate',
];

interface Listing extends Pick<ProgramCall, 'command' | 'args'> {
  readonly walk: FileWalk;
}

/** The output of a program in a folder, its exit code, and whether it warned. */
async function listed(workspace: WorkspaceFolder, folder: string, { walk, ...call }: Listing) {
  const lines: string[] = [];
  let warned = false;
  const exitCode = await workspace.withFolder(folder, ({ path }) =>
    runProgram(workspace, { ...call, cwd: path, signal: walk.signal }, (line, stream) => {
      if (stream === 'stderr') warned = true;
      else if (lines.length < mostFiles) lines.push(line);
      else {
        walk.skipped.add('beyondLimit');
        return false;
      }
      return true;
    }),
  );
  return { lines, exitCode, warned };
}
