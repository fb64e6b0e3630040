import type { ProjectGit } from './project-git.ts';

/** A file that differs from the beginning of a worktree. */
export interface ChangedFile {
  readonly path: string;
  readonly action: 'add' | 'update' | 'delete';
  /** Lines; absent for a binary file. */
  readonly added?: number;
  readonly removed?: number;
}

const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames'];
const actions: Readonly<Record<string, ChangedFile['action']>> = { A: 'add', D: 'delete' };

/** Returns the files that differ between two trees, with the numbers of their lines. */
export async function changedFiles(git: ProjectGit, from: string, to: string): Promise<ChangedFile[]> {
  if (from === to) return [];
  const statuses = await fieldsOf(git, ['diff-tree', '-r', '-z', '--name-status', ...plain, from, to]);
  const counts = new Map<string, { added: number; removed: number }>();
  for (const line of await fieldsOf(git, ['diff-tree', '-r', '-z', '--numstat', ...plain, from, to])) {
    const [added = '', removed = '', ...path] = line.split('\t');
    if (added !== '-') counts.set(path.join('\t'), { added: Number(added), removed: Number(removed) });
  }
  const files: ChangedFile[] = [];
  for (let at = 0; at + 1 < statuses.length; at += 2) {
    const path = statuses[at + 1] ?? '';
    files.push({ path, action: actions[statuses[at] ?? ''] ?? 'update', ...counts.get(path) });
  }
  return files;
}

/** Returns the patch between two trees that `git apply` takes. */
export function patchBetween(git: ProjectGit, from: string, to: string): Promise<Buffer> {
  return git.run(['diff-tree', '-r', '-p', '--binary', '--full-index', ...plain, from, to]);
}

/** Returns the hunks of one file between two trees. */
export async function filePatch(git: ProjectGit, [from, to]: readonly [string, string], path: string): Promise<string> {
  const args = ['--literal-pathspecs', 'diff-tree', '-r', '-p', ...plain, from, to, '--', path];
  const text = (await git.run(args)).toString('utf8');
  const start = text.indexOf('\n@@ ');
  return start === -1 ? '' : text.slice(start + 1).replace(/\n$/, '');
}

async function fieldsOf(git: ProjectGit, args: readonly string[]): Promise<string[]> {
  return (await git.run(args)).toString('utf8').split('\0').filter(Boolean);
}
