import { type FileAction, type LineCounts, parseActions, parseCounts } from '../../agents/git/changed-lines.ts';
import type { ClosedRepository } from '../../agents/git/closed-repository.ts';

/** A file that differs from the beginning of a worktree. */
export interface ChangedFile extends LineCounts {
  readonly path: string;
  readonly action: FileAction;
}

const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];

/** Returns the files that differ between two trees, with the numbers of their lines. */
export async function changedFiles(repository: ClosedRepository, from: string, to: string): Promise<ChangedFile[]> {
  if (from === to) return [];
  const list = async (form: string) =>
    (await repository.run(['diff-tree', '-r', '-z', form, ...plain, from, to])).output.toString('utf8');
  const actions = parseActions(await list('--name-status'));
  const counts = parseCounts(await list('--numstat'));
  return [...actions].map(([path, action]) => ({ path, action, ...counts.get(path) }));
}

/** Returns the patch between two trees that `git apply` takes. */
export async function patchBetween(repository: ClosedRepository, from: string, to: string): Promise<Buffer> {
  return (await repository.run(['diff-tree', '-r', '-p', '--binary', '--full-index', ...plain, from, to])).output;
}

/** Returns the hunks of one file between two trees. */
export async function filePatch(
  repository: ClosedRepository,
  [from, to]: readonly [string, string],
  path: string,
): Promise<string> {
  const args = ['diff-tree', '-r', '-p', ...plain, from, to, '--', path];
  const text = (await repository.run(args)).output.toString('utf8');
  const start = text.indexOf('\n@@ ');
  return start === -1 ? '' : text.slice(start + 1).replace(/\n$/, '');
}
