import { defined } from '../../../base/defined.ts';

/** A position in a file and its new content. */
export interface Hunk {
  /** A line to look for first, such as the head of a function. */
  readonly anchor: string | undefined;
  readonly lines: readonly { readonly kind: ' ' | '-' | '+'; readonly text: string }[];
  /** The lines are at the end of the file. */
  readonly atEnd: boolean;
}

/** The change of one file in a patch. */
export type FilePatch =
  | { readonly action: 'add'; readonly path: string; readonly content: string }
  | { readonly action: 'delete'; readonly path: string }
  | { readonly action: 'update'; readonly path: string; readonly moveTo?: string; readonly hunks: readonly Hunk[] };

const section = /^\*\*\* (Add File|Update File|Delete File): (.+?)\s*$/;
const move = /^\*\*\* Move to: (.+?)\s*$/;

/** Parses a patch between `*** Begin Patch` and `*** End Patch`; throws with the line that is wrong. */
export function parsePatch(patch: string): FilePatch[] {
  const lines = patch.trim().split(/\r?\n/);
  if (lines[0]?.trim() !== '*** Begin Patch') throw wrong('it does not start with "*** Begin Patch"');
  if (lines.at(-1)?.trim() !== '*** End Patch') throw wrong('it does not end with "*** End Patch"');
  const reader = new PatchReader(lines.slice(1, -1));
  const files: FilePatch[] = [];
  while (reader.line !== undefined) files.push(reader.file());
  if (files.length === 0) throw wrong('it names no file');
  const paths = files.flatMap(file => [file.path, ...('moveTo' in file ? [file.moveTo] : [])]);
  const twice = paths.find((path, index) => paths.indexOf(path) < index);
  if (twice !== undefined) throw wrong(`it names ${twice} twice: put all changes of a file into one section`);
  return files;
}

class PatchReader {
  readonly #lines: readonly string[];
  #at = 0;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
  }

  /** The line that is read next. */
  get line(): string | undefined {
    return this.#lines[this.#at];
  }

  file(): FilePatch {
    const [, name, path] = section.exec(this.line ?? '') ?? [];
    if (path === undefined) throw this.#wrongLine('"*** Add File: ", "*** Update File: " or "*** Delete File: "');
    this.#at++;
    if (name === 'Delete File') return { action: 'delete', path };
    if (name === 'Add File') return { action: 'add', path, content: this.#added() };
    const [, moveTo] = move.exec(this.line ?? '') ?? [];
    if (moveTo !== undefined) this.#at++;
    const hunks = this.#hunks();
    if (hunks.length === 0 && moveTo === undefined) throw wrong(`it changes nothing in ${path}`);
    return { action: 'update', path, ...defined({ moveTo }), hunks };
  }

  #added(): string {
    let content = '';
    for (let { line } = this; line !== undefined && !section.test(line); { line } = this) {
      if (!line.startsWith('+')) throw this.#wrongLine('a line of the new file, with a + before it');
      content += `${line.slice(1)}\n`;
      this.#at++;
    }
    return content;
  }

  #hunks(): Hunk[] {
    const hunks: Hunk[] = [];
    while (this.line !== undefined && !section.test(this.line)) hunks.push(this.#hunk());
    return hunks;
  }

  #hunk(): Hunk {
    const [head, text = ''] = /^@@(?: (.*?))?(?: @@)?\s*$/.exec(this.line ?? '') ?? [];
    if (head !== undefined) this.#at++;
    const anchor = head === undefined || text.trim() === '' || /^-\d/.test(text) ? undefined : text;
    const lines: Hunk['lines'][number][] = [];
    for (let { line } = this; line !== undefined; { line } = this) {
      if (line.startsWith('@@') || line.startsWith('*** ')) break;
      const kind = line === '' ? ' ' : line[0];
      if (kind !== ' ' && kind !== '-' && kind !== '+')
        throw this.#wrongLine('a line that starts with a space, - or +');
      lines.push({ kind, text: line.slice(1) });
      this.#at++;
    }
    const atEnd = this.line?.trim() === '*** End of File';
    if (atEnd) this.#at++;
    if (lines.length === 0) throw this.#wrongLine('lines that start with a space, - or +');
    return { anchor, lines, atEnd };
  }

  #wrongLine(expected: string): Error {
    const found = this.line === undefined ? 'its end' : JSON.stringify(this.line);
    return wrong(`its line ${this.#at + 2} is ${found}, expected ${expected}`);
  }
}

function wrong(problem: string): Error {
  return new Error(`The patch is invalid: ${problem}. Nothing was changed.`);
}
