import { type IgnoreRules, ignoreRules } from './ignore-rules.ts';
import type { SkippedFiles } from './skipped-files.ts';
import type { WorkspaceFolder } from './workspace-folder.ts';

/** The number of files of a walk, and of entries of a folder. */
export const mostFiles = 100_000;

/** The options of a file walk. */
export interface FileWalk {
  readonly signal: AbortSignal;
  /** Collects the folders that could not be listed. */
  readonly skipped: SkippedFiles;
}

/**
 * Yields the paths of the regular files below a folder, relative to it and ordered by name, without another program.
 * Omits `.git`, `node_modules` and what `.gitignore` files ignore. Follows no link.
 */
export async function* walkFiles(workspace: WorkspaceFolder, folder: string, walk: FileWalk): AsyncGenerator<string> {
  const rules = new RulesAbove(workspace, folder);
  await rules.readAbove();
  yield* filesBelow(workspace, { folder, below: '', walk, rules });
}

/** Joins a path to a folder of the workspace, both without links. */
export function joined(folder: string, below: string): string {
  return folder === '' ? below : `${folder}/${below}`;
}

/** Compares paths in the order of a folder walk: name by name. */
export function comparePaths(one: string, other: string): number {
  const [a, b] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')];
  return a < b ? -1 : a > b ? 1 : 0;
}

interface FolderWalk {
  readonly folder: string;
  /** The path of the folder relative to the start of the walk, with a `/` at the end. */
  readonly below: string;
  readonly walk: FileWalk;
  readonly rules: RulesAbove;
}

async function* filesBelow(
  workspace: WorkspaceFolder,
  { folder, below, walk, rules }: FolderWalk,
): AsyncGenerator<string> {
  walk.signal.throwIfAborted();
  const place = joined(folder, below).replace(/\/$/, '');
  const entries = await workspace.entries(place || '.', mostFiles + 1).catch((error: unknown) => {
    if (below === '') throw error;
    walk.skipped.add('unreadable');
    return [];
  });
  if (entries.length > mostFiles) walk.skipped.add('beyondLimit');
  if (entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')) await rules.read(place);
  for (const { name, kind } of entries
    .slice(0, mostFiles)
    .toSorted((one, other) => comparePaths(one.name, other.name))) {
    if (kind !== 'file' && kind !== 'folder') continue;
    if (rules.isIgnored(joined(place, name), kind === 'folder')) continue;
    if (kind === 'file') yield `${below}${name}`;
    else if (name !== '.git' && name !== 'node_modules')
      yield* filesBelow(workspace, { folder, below: `${below}${name}/`, walk, rules });
  }
}

/** The rules of the `.gitignore` files between the root of a workspace and the walked folder. */
class RulesAbove {
  readonly #workspace: WorkspaceFolder;
  readonly #folder: string;
  readonly #byFolder = new Map<string, IgnoreRules>();

  constructor(workspace: WorkspaceFolder, folder: string) {
    this.#workspace = workspace;
    this.#folder = folder;
  }

  /** Reads the files of the folders above the start of the walk. */
  async readAbove(): Promise<void> {
    const names = this.#folder.split('/').filter(name => name !== '' && name !== '.');
    if (this.#folder.startsWith('/')) return;
    for (let depth = 0; depth < names.length; depth++) await this.read(names.slice(0, depth).join('/'));
  }

  /** Reads the file of one folder, if it has one. */
  async read(folder: string): Promise<void> {
    const text = await this.#workspace
      .withFile(joined(folder, '.gitignore'), ({ handle }) => handle.readFile('utf8'))
      .catch(() => undefined);
    if (text !== undefined) this.#byFolder.set(folder, ignoreRules(text));
  }

  /** Whether the nearest file with a rule for this path ignores it. */
  isIgnored(path: string, isFolder: boolean): boolean {
    if (this.#byFolder.size === 0) return false;
    for (let end = path.lastIndexOf('/'); ; end = path.lastIndexOf('/', end - 1)) {
      const folder = end < 0 ? '' : path.slice(0, end);
      const decided = this.#byFolder.get(folder)?.decide(end < 0 ? path : path.slice(end + 1), isFolder);
      if (decided !== undefined) return decided;
      if (end <= 0) return false;
    }
  }
}
