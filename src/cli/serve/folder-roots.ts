import { existsSync } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { FolderList } from '../../protocols/http-folders.ts';

/** The files that identify a project folder, with their descriptions. */
const signs: readonly (readonly [file: string, words: string])[] = [
  ['.git', 'a git repository'],
  ...['package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod', 'pom.xml', 'Gemfile', 'Makefile'].map(
    file => [file, file] as const,
  ),
  ...['AGENTS.md', 'CLAUDE.md', 'singletree.config.json', 'singletree.config.mjs'].map(file => [file, file] as const),
];

/** Returns descriptions of the project files in a folder; empty when it is not a project. */
export function foundInFolder(folder: string): readonly string[] {
  return signs.filter(([file]) => existsSync(join(folder, file))).map(([, words]) => words);
}

const most = 500;

/** The root folders for browsing projects; nothing whose real path is outside them is listed. */
export class FolderRoots {
  readonly #roots: readonly string[];

  constructor(roots: readonly string[]) {
    this.#roots = roots;
  }

  /** Returns the real path of a folder; throws `not_found` when it does not exist. */
  async resolve(folder: string): Promise<string> {
    const real = await realpath(folder).catch(() => undefined);
    if (real !== undefined && (await stat(real)).isDirectory()) return real;
    throw new SingletreeError('not_found', `The folder "${folder}" does not exist.`);
  }

  /** Whether a real path is one of the roots or below one. */
  async contains(real: string): Promise<boolean> {
    return (await this.#realRoots()).some(root => isBelow(real, root));
  }

  /** Lists the folders in a folder, or the roots; throws `request_forbidden` for a folder outside the roots. */
  async list(path: string | undefined): Promise<FolderList> {
    const roots = await this.#realRoots();
    if (path === undefined && roots.length !== 1)
      return { folders: roots.map(root => describe(root, root)), isCut: false };
    const real = await this.resolve(path ?? (roots[0] as string));
    if (!roots.some(root => isBelow(real, root))) throw outside(path ?? real);
    const parent = dirname(real);
    const isTop = roots.includes(real) && !roots.some(root => root !== real && isBelow(parent, root));
    const found = await this.#foldersIn(real, roots);
    return {
      path: real,
      ...(!isTop && { parent }),
      folders: found.slice(0, most),
      isCut: found.length > most,
    };
  }

  async #foldersIn(folder: string, roots: readonly string[]): Promise<FolderList['folders']> {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []); // It cannot be read by this user.
    const visible = entries.filter(
      entry => !entry.name.startsWith('.') && (entry.isDirectory() || entry.isSymbolicLink()),
    );
    const folders = await Promise.all(
      visible.map(async ({ name }) => {
        const real = await this.resolve(join(folder, name)).catch(() => undefined); // A file, or a link to nothing.
        return real !== undefined && roots.some(root => isBelow(real, root)) ? [describe(real, name)] : [];
      }),
    );
    return folders.flat().toSorted((a, b) => a.name.localeCompare(b.name));
  }

  async #realRoots(): Promise<readonly string[]> {
    // A root that does not exist has no folders.
    const real = await Promise.all(this.#roots.map(root => realpath(root).catch(() => undefined)));
    return [...new Set(real.filter(root => root !== undefined))];
  }
}

/** Returns the error for a folder outside the roots. */
export function outside(folder: string): SingletreeError {
  return new SingletreeError(
    'request_forbidden',
    `The folder "${folder}" is outside the folders that can be opened on the page. Run \`singletree\` in it, or add it to "server.roots" in the configuration of your data folder.`,
  );
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function describe(path: string, name: string): FolderList['folders'][number] {
  return { name: name === path ? path : basename(name), path, isProject: foundInFolder(path).length > 0 };
}
