import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { git } from '../../agents/coder/checkpoints/git.ts';
import {
  type FileAction,
  type LineCounts,
  nulFields,
  parseActions,
  parseCounts,
} from '../../agents/git/changed-lines.ts';
import { defined } from '../../events/defined.ts';
import { changesOfDiff } from '../../projections/activity/diff-changes.ts';
import { type Base, findBase } from './find-base.ts';

/** A file of a folder that differs from its base. */
export interface BaseFile extends LineCounts {
  /** Relative to the folder. */
  readonly path: string;
  readonly action: FileAction;
  /** The hunks of a unified diff; absent for a file that is not text, and for large changes. */
  readonly patch?: string;
}

/** What differs between the files of a folder and the commit that its work is based on. */
export interface BaseChanges {
  readonly folder: string;
  readonly base: Base;
  readonly files: readonly BaseFile[];
  /** How many more files differ. */
  readonly more: number;
}

/** The most files, and the most that are listed at all. */
const mostFiles = 1_000;
/** The most changed lines of one file, and of all files, that are returned with their patch. */
const mostFileLines = 5_000;
const mostLines = 30_000;
/** The most bytes of a list or of patches. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 10_000;

/** Names as they are; files of more than a megabyte are not compared. */
const settings = '[core]\n\tquotePath = false\n\tbigFileThreshold = 1m\n';
const diff = ['diff', '--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--relative'];

/**
 * Compares a folder with the commit that its branch began with, else with the last commit; untracked files count as
 * added, ignored ones are left out. It reads through a repository of its own: no setting, filter or hook of the
 * person's repository takes effect, no link is followed, and nothing in the repository changes. Throws a `GitFailure`.
 */
export async function baseChanges(folder: string): Promise<BaseChanges> {
  const { top, objects, format, base } = await findBase(folder, timeoutMs);
  const gitDir = mkdtempSync(join(tmpdir(), 'singletree-base-'));
  const run = async (args: readonly string[], input?: string) => {
    const repository = { gitDir, workTree: top, index: join(gitDir, 'index'), cwd: folder };
    return (await git(args, { ...repository, timeoutMs, maxBytes, ...defined({ input }) })).toString('utf8');
  };
  try {
    await run(['init', '--quiet', `--object-format=${format}`]);
    appendFileSync(join(gitDir, 'config'), settings);
    mkdirSync(join(gitDir, 'objects', 'info'), { recursive: true });
    writeFileSync(join(gitDir, 'objects', 'info', 'alternates'), `${resolve(folder, objects)}\n`);
    if (base.commit !== undefined) await run(['read-tree', base.commit]);
    const tree = (await run(['write-tree'])).trim();
    const unlisted = await addUntracked(run);
    const actions = parseActions(await run([...diff, '--name-status', '-z', tree, '--', '.']));
    const counts = parseCounts(await run([...diff, '--numstat', '-z', tree, '--', '.']));
    const paths = [...actions.keys()].slice(0, mostFiles);
    const shown = withinLines(paths, counts);
    const text = shown.length === 0 ? '' : await run([...diff, tree, '--', ...shown]);
    const patches = new Map(changesOfDiff(text).map(({ path, patch }) => [path, patch]));
    const files = paths.map(path => ({
      path,
      action: actions.get(path) ?? 'update',
      ...counts.get(path),
      ...defined({ patch: patches.get(path) }),
    }));
    return { folder, base, files, more: actions.size - files.length + unlisted };
  } finally {
    rmSync(gitDir, { recursive: true, force: true });
  }
}

/** Adds the names of untracked files to the index; returns how many were left out. */
async function addUntracked(run: (args: readonly string[], input?: string) => Promise<string>): Promise<number> {
  const output = await run(['ls-files', '-z', '--others', '--exclude-standard', '--', '.']);
  // A folder at the end of the path is a repository of its own.
  const untracked = nulFields(output).filter(path => !path.endsWith('/'));
  const added = untracked.slice(0, mostFiles).join('\0');
  if (added !== '') await run(['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'], added);
  return Math.max(0, untracked.length - mostFiles);
}

/** The first files whose changes are small enough, each and together. */
function withinLines(paths: readonly string[], counts: ReadonlyMap<string, LineCounts>): readonly string[] {
  let left = mostLines;
  return paths.filter(path => {
    const { added, removed = 0 } = counts.get(path) ?? {};
    if (added === undefined || added + removed > Math.min(mostFileLines, left)) return false;
    left -= added + removed;
    return true;
  });
}
