import { type ProgramCall, programFor, runProgram } from './program.ts';
import type { Workspace } from './workspace.ts';

/** How ripgrep walks: as it does by default, hidden files included, in the order of the names. */
export const ripgrepWalk: readonly string[] = [
  '--no-config',
  '--no-messages',
  '--hidden',
  '--glob=!.git',
  '--sort=path',
];

const mostFiles = 100_000;

/**
 * The paths of the regular files below a folder, seen from it and in the order of their names. What git ignores is left
 * out when ripgrep or git is there. No link is followed.
 */
export async function* findFiles(workspace: Workspace, folder: string, signal: AbortSignal): AsyncGenerator<string> {
  const ripgrep = await programFor(workspace, 'rg');
  if (ripgrep !== undefined) {
    const { lines } = await listed(workspace, folder, { command: ripgrep, args: [...ripgrepWalk, '--files'], signal });
    yield* lines;
    return;
  }
  const git = await programFor(workspace, 'git');
  const { lines, exitCode } =
    git === undefined
      ? { lines: [], exitCode: 1 }
      : await listed(workspace, folder, { command: git, args: gitArguments, signal });
  if (exitCode !== 0 && exitCode !== undefined) {
    yield* walk(workspace, { folder, below: '', signal });
    return;
  }
  for (const path of lines.toSorted(comparePaths)) {
    const found = await workspace.look(`${folder}/${path}`, { keepLink: true }).catch(() => undefined);
    if (found?.kind === 'file') yield path;
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

/** In the order in which folders are walked: name by name. */
function comparePaths(one: string, other: string): number {
  const [a, b] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What a program prints in a folder, and whether it ended well. */
async function listed(workspace: Workspace, folder: string, call: Omit<ProgramCall, 'cwd'>) {
  const lines: string[] = [];
  const exitCode = await workspace.withFolder(folder, ({ path }) =>
    runProgram(workspace, { ...call, cwd: path }, (line, stream) => {
      if (stream === 'stdout') lines.push(line);
      return lines.length < mostFiles;
    }),
  );
  return { lines, exitCode };
}

interface Walk {
  readonly folder: string;
  /** Where it is below the folder, with a `/` at the end. */
  readonly below: string;
  readonly signal: AbortSignal;
}

async function* walk(workspace: Workspace, { folder, below, signal }: Walk): AsyncGenerator<string> {
  signal.throwIfAborted();
  const entries = await workspace.entries(`${folder}/${below}`, mostFiles).catch((error: unknown) => {
    if (below === '') throw error;
    return [];
  });
  for (const { name, kind } of entries.toSorted((one, other) => comparePaths(one.name, other.name))) {
    if (kind === 'file') yield `${below}${name}`;
    if (kind === 'folder' && name !== '.git' && name !== 'node_modules')
      yield* walk(workspace, { folder, below: `${below}${name}/`, signal });
  }
}
