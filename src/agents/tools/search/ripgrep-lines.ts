import { ripgrepFailed, ripgrepWalk } from '../../workspace/find-files.ts';
import type { WorkspaceFolder } from '../../workspace/workspace-folder.ts';
import { runProgram } from '../../workspace/program.ts';
import { type FoundLine, invalidPattern, type LineSearch } from './scan-lines.ts';

/** Searches with ripgrep. */
export async function ripgrepLines(workspace: WorkspaceFolder, ripgrep: string, search: LineSearch): Promise<void> {
  const { pattern, path, isFile, matches, signal, skipped, take } = search;
  const problem: string[] = [];
  const run = (cwd: string, target: string) =>
    runProgram(workspace, { command: ripgrep, args: argumentsFor(search, target), cwd, signal }, (text, stream) => {
      if (stream === 'stderr') problem.push(text.trim());
      const found = stream === 'stdout' ? foundLine(text) : undefined;
      return found === undefined || !(isFile || matches(found.file)) || take(found);
    });
  const exitCode = isFile
    ? await workspace.withFile(path, file => run(workspace.root, file.path))
    : await workspace.withFolder(path, folder => run(folder.path, './'));
  if (exitCode !== ripgrepFailed) return;
  if (problem.length > 0) throw invalidPattern(pattern, readable(problem));
  skipped.add('unreadable');
}

function argumentsFor({ pattern, ignoreCase, context }: LineSearch, target: string): string[] {
  return [
    ...ripgrepWalk,
    '--line-number',
    '--with-filename',
    '--no-heading',
    '--null',
    '--color=never',
    '--max-columns=4096',
    '--max-columns-preview',
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(context > 0 ? [`--context=${context}`] : []),
    `--regexp=${pattern}`,
    '--',
    target,
  ];
}

/** Parses `path NUL number : line`; a context line has `-` instead of the colon. */
function foundLine(text: string): FoundLine | undefined {
  const end = text.indexOf('\0');
  const [, number, mark, line] = /^(\d+)([:-])([^]*)$/.exec(text.slice(end + 1)) ?? [];
  if (end < 0 || line === undefined) return undefined;
  return { file: text.slice(0, end).replace(/^\.\//, ''), number: Number(number), line, isMatch: mark === ':' };
}

/** Returns ripgrep's message about a pattern, without the pattern itself. */
function readable(problem: readonly string[]): string {
  const message = problem.filter(line => line.startsWith('error: ')).at(-1) ?? problem[0] ?? '';
  return message.replace(/^(?:error: |rg: )/, '');
}
