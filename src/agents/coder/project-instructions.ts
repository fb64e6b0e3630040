import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { isHeldFile } from '../../events/held-files.ts';
import type { Policy } from '../contract/permissions.ts';

/** The names of a file with instructions for agents; the first that a folder has is used. */
const names = ['AGENTS.md', 'CLAUDE.md'];

/** The deepest chain of imports. */
const deepest = 5;

export interface ProjectInstructionsOptions {
  /** The number of characters of all files together. Default: 40,000. */
  readonly maxLength?: number;
  /** A folder with the user's own instructions, which are last. */
  readonly home?: string;
  /** Decides on reading a file. Default: every file is read. */
  readonly decide?: (file: InstructionFile) => Policy;
}

/** A file that would become part of the instructions. */
export interface InstructionFile {
  /** Its path as it is found or written. */
  readonly path: string;
  /** Its path without links. */
  readonly real: string;
  /** The folder of the project, or that of the user, with links resolved. */
  readonly root: string;
}

/** The instructions of a project and their source files. */
export interface ProjectInstructions {
  readonly text: string;
  /** The files in the order of the text: the nearest first. */
  readonly files: readonly string[];
  /** One sentence for each file or import that was skipped or shortened. */
  readonly problems: readonly string[];
}

/**
 * Reads the instructions for agents of a folder and of those above it, up to the root of the repository. A line such as
 * `@docs/style.md` imports a file of the same project. Files that may not be read are skipped.
 */
export function projectInstructions(folder: string, options: ProjectInstructionsOptions = {}): ProjectInstructions {
  const { maxLength = 40_000, home, decide = () => 'allow' } = options;
  const folders = foldersUpToRoot(resolve(folder));
  const reader = new InstructionReader(folders.at(-1) ?? folder, decide);
  for (const each of folders) reader.add(each);
  const readers = [reader];
  if (home !== undefined && existsSync(home)) {
    const own = new InstructionReader(home, decide);
    own.add(home);
    readers.push(own);
  }
  const parts = readers.flatMap(each => each.parts);
  const problems = readers.flatMap(each => each.problems);
  const kept: string[] = [];
  const files: string[] = [];
  let left = maxLength;
  for (const { file, text } of parts) {
    if (left <= 0) {
      problems.push(`${file} was left out: the instructions are longer than ${maxLength} characters.`);
      continue;
    }
    if (text.length > left) problems.push(`${file} was shortened to ${left} of ${text.length} characters.`);
    kept.push(`Instructions from ${file}:\n\n${text.slice(0, left).trim()}`);
    files.push(file);
    left -= text.length;
  }
  return { text: kept.join('\n\n'), files, problems };
}

/** The folder and those above it, up to the one with `.git`; only the folder itself outside a repository. */
function foldersUpToRoot(folder: string): readonly string[] {
  const folders: string[] = [];
  for (let at = folder; ; at = dirname(at)) {
    folders.push(at);
    if (existsSync(join(at, '.git'))) return folders;
    if (dirname(at) === at) return [folder];
  }
}

class InstructionReader {
  readonly parts: { readonly file: string; readonly text: string }[] = [];
  readonly problems: string[] = [];
  readonly #root: string;
  readonly #decide: NonNullable<ProjectInstructionsOptions['decide']>;
  readonly #read = new Set<string>();

  /** Files outside of `root` are not imported. */
  constructor(root: string, decide: NonNullable<ProjectInstructionsOptions['decide']>) {
    this.#root = realpathSync(root);
    this.#decide = decide;
  }

  add(folder: string): void {
    const file = names.map(name => join(folder, name)).find(existsSync);
    const text = file === undefined ? undefined : this.#readText(file, 0);
    if (file !== undefined && text !== undefined && text.trim() !== '') this.parts.push({ file, text });
  }

  #readText(file: string, depth: number): string | undefined {
    const real = this.#locate(file);
    if (real === undefined || this.#read.has(real) || isHeldFile(statSync(real))) return undefined;
    this.#read.add(real);
    let isInCode = false;
    const lines = readFileSync(real, 'utf8').split('\n');
    return lines
      .map(line => {
        if (/^\s*(```|~~~)/.test(line)) isInCode = !isInCode;
        const [, target] = isInCode ? [] : (/^\s*@(\S+)\s*$/.exec(line) ?? []);
        return target === undefined ? line : this.#imported(target, { line, from: real, depth });
      })
      .join('\n');
  }

  #imported(target: string, { line, from, depth }: { line: string; from: string; depth: number }): string {
    if (depth >= deepest) {
      this.problems.push(`${from} imports ${target}, more than ${deepest} files deep: it was left out.`);
      return line;
    }
    const file = isAbsolute(target) ? target : join(dirname(from), target);
    return this.#readText(file, depth + 1) ?? line;
  }

  /** Returns the real path of a regular file inside the root that may be read. */
  #locate(file: string): string | undefined {
    let real: string;
    try {
      real = realpathSync(file);
    } catch {
      this.problems.push(`${file} does not exist: it was not imported.`);
      return undefined;
    }
    const inside = relative(this.#root, real);
    if (inside.startsWith('..') || isAbsolute(inside)) {
      this.problems.push(`${file} is outside of the project: it was not imported.`);
      return undefined;
    }
    if (!statSync(real).isFile()) {
      this.problems.push(`${file} is not a file: it was not imported.`);
      return undefined;
    }
    const policy = this.#decide({ path: file, real, root: this.#root });
    if (policy === 'allow') return real;
    this.problems.push(`Reading ${file} ${policy === 'deny' ? 'is denied' : 'needs approval'}: it was not imported.`);
    return undefined;
  }
}
