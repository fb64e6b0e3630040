import { lstatSync } from 'node:fs';
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileAction, type LineCounts, parseActions, parseCounts } from '../../agents/git/changed-lines.ts';
import type { ClosedRepository } from '../../agents/git/closed-repository.ts';
import { newId } from '../../events/ids.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { SingletreeError } from '../../base/singletree-error.ts';

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

/**
 * Stores the files of a work tree as they are now, untracked ones included, ignored ones and nested repositories not, and
 * returns the hash of their tree. The index has what was stored last, so that only what changed since is read.
 */
export async function snapshotTree(repository: ClosedRepository, workTree: string, index: string): Promise<string> {
  const own = `${index}-${newId()}`;
  const call = { workTree, index: own };
  try {
    await copyFile(index, own).catch(() => {});
    const list = ['ls-files', '-z', '--others', '--modified', '--deleted', '--exclude-standard'];
    const { output } = await repository.run(list, call);
    const paths = [...new Set(output.toString('latin1').split('\0'))].filter(
      path => path !== '' && !path.endsWith('/'),
    );
    const present = new Set(paths.filter(path => isFileOrLink(workTree, path)));
    const gone = paths.filter(path => !present.has(path));
    const input = (lines: Iterable<string>) => Buffer.from([...lines, ''].join('\0'), 'latin1');
    if (gone.length > 0)
      await repository.run(['update-index', '--force-remove', '-z', '--stdin'], { ...call, input: input(gone) });
    if (present.size > 0)
      await repository.run(['update-index', '-z', '--add', '--remove', '--replace', '--stdin'], {
        ...call,
        input: input(present),
      });
    const tree = await repository.line(['write-tree'], call);
    // Without it the next snapshot reads all files again.
    await rename(own, index).catch(() => {});
    return tree;
  } finally {
    await rm(own, { force: true });
  }
}

function isFileOrLink(workTree: string, path: string): boolean {
  try {
    const found = lstatSync(Buffer.concat([Buffer.from(join(workTree, '/')), Buffer.from(path, 'latin1')]));
    return found.isFile() || found.isSymbolicLink();
  } catch {
    return false; // It was removed since git listed it.
  }
}

const options = ['--binary', '--whitespace=nowarn', '-'];

/**
 * Applies a patch to the files of a folder, entirely or not at all; throws `apply_conflict` with the conflicting files.
 */
export async function applyPatch(repository: ClosedRepository, folder: string, patch: Uint8Array): Promise<void> {
  const call = { workTree: folder, input: patch };
  try {
    await repository.run(['apply', '--check', ...options], call);
  } catch (error) {
    if (!(error instanceof GitFailure) || error.isMissing || error.isTooSlow) throw error;
    const files = conflictsIn(error.message);
    throw new SingletreeError(
      'apply_conflict',
      `The changes do not fit ${folder}, which was changed since: ${files.join(', ') || error.message}. Nothing was applied. Commit, stash or undo those changes, then keep them again.`,
      { details: { files }, cause: error },
    );
  }
  await repository.run(['apply', ...options], call);
}

/** The files that git names, such as `error: a.txt: patch does not apply`. */
function conflictsIn(message: string): string[] {
  const found = message.split('\n').flatMap(line => {
    const [, path] =
      /^error: (.+): (?:patch does not apply|already exists in .*|No such file.*|does not exist in .*|.*symbolic link.*|does not match.*|wrong type)$/.exec(
        line,
      ) ?? [];
    return path ?? [];
  });
  return [...new Set(found)];
}
