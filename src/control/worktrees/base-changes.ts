import {
  type FileAction,
  type LineCounts,
  nulFields,
  parseActions,
  parseCounts,
} from '../../agents/git/changed-lines.ts';
import { ClosedRepository, locateRepository } from '../../agents/git/closed-repository.ts';
import { GitFailure } from '../../agents/git/run-git.ts';
import { defined } from '../../base/defined.ts';
import { changesOfDiff } from '../../projections/activity/diff-changes.ts';

/** A file of a folder that differs from its base. */
export interface BaseFile extends LineCounts {
  /** Relative to the folder. */
  readonly path: string;
  readonly action: FileAction;
  /** The hunks of a unified diff; absent for a file that is not text, and for large changes. */
  readonly patch?: string;
}

/** The differences between the files of a folder and the commit that its work is based on. */
export interface BaseChanges {
  readonly folder: string;
  readonly base: Base;
  readonly files: readonly BaseFile[];
  /** How many more files differ. */
  readonly more: number;
}

/** The most files in a result, and the most untracked files that are compared. */
const mostFiles = 1_000;
/** The most changed lines of one file, and of all files, that are returned with their patch. */
const mostFileLines = 5_000;
const mostLines = 30_000;
/** The most bytes of a list or of patches. */
const maxBytes = 8 * 1024 * 1024;
const timeoutMs = 10_000;

/** Files larger than a megabyte are not compared, and nested repositories are ignored. */
const largeFiles = ['-c', 'core.bigFileThreshold=1m'];
const plain = ['--no-color', '--no-ext-diff', '--no-textconv', '--no-renames', '--relative', '--ignore-submodules=all'];
const diff = [...largeFiles, 'diff', ...plain];

type Run = (args: readonly string[], input?: string) => Promise<string>;

/**
 * Compares a folder with the commit that its branch started from, or else with the last commit; untracked files count
 * as added, ignored ones are skipped. Settings, filters and hooks of the person's repository have no effect, links are
 * not followed, and nothing in the repository changes. Throws a `GitFailure`.
 */
export async function baseChanges(folder: string): Promise<BaseChanges> {
  const located = locateRepository(folder);
  if (located === undefined) throw new GitFailure(`${folder} is not a git repository, and is in none`);
  return ClosedRepository.use(located, timeoutMs, async repository => {
    const run: Run = async (args, input) =>
      (await repository.run(args, { cwd: folder, maxBytes, input })).output.toString('utf8');
    const base = await findBase(repository);
    if (base.commit !== undefined) await run(['read-tree', base.commit]);
    await removeSubmodules(repository);
    // The contents that a partial clone lacks are not needed for the tree.
    const tree = (await run(['write-tree', '--missing-ok'])).trim();
    const unlisted = await addUntracked(run);
    // Files that are as in the base are found by their hash: a partial clone may lack their contents.
    await run(['update-index', '-q', '--refresh']);
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
  });
}

/** Removes submodules from the index: git would look into them with their own configuration. */
async function removeSubmodules(repository: ClosedRepository): Promise<void> {
  const { output } = await repository.run(['ls-files', '--stage', '-z']);
  const modules = output
    .toString('latin1')
    .split('\0')
    .filter(line => line.startsWith('160000 '));
  const lines = modules.map(line => line.replace(/^160000 (\w+) 0/, '0 $1'));
  const input = Buffer.from(`${lines.join('\0')}\0`, 'latin1');
  if (lines.length > 0) await repository.run(['update-index', '-z', '--index-info'], { input });
}

/** Adds the names of untracked files to the index; returns how many were left out. */
async function addUntracked(run: Run): Promise<number> {
  const output = await run(['ls-files', '-z', '--others', '--exclude-standard', '--', '.']);
  // A path that ends with a slash is a nested repository.
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

/** The commit that the work in a folder is based on. */
interface Base {
  /** Absent in a repository without commits. */
  readonly commit?: string;
  /** The branch that it is on; absent when it is the last commit of the current one. */
  readonly branch?: string;
}

/** The usual base branches, nearest first, tried after the upstream of the current branch. */
const candidates = ['origin/HEAD', 'main', 'master'];

/** Returns the commit where the branch of a repository left another one; without one the last commit. Throws a `GitFailure`. */
async function findBase(repository: ClosedRepository): Promise<Base> {
  const attempt = (...args: string[]) => repository.findLine(args, { maxBytes: 100_000 });
  const head = await attempt('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (head === undefined) return {};
  for (const candidate of [(await repository.upstream()) ?? [], ...candidates].flat()) {
    const commit = await attempt('merge-base', 'HEAD', candidate);
    if (commit === undefined || commit === '' || commit === head) continue;
    const branch = await attempt('rev-parse', '--abbrev-ref', candidate);
    return { commit, ...defined({ branch: branch || undefined }) };
  }
  return { commit: head };
}
