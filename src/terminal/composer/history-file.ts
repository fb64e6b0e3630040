import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { addEntry, type HistoryEntry, isKept, mostEntries, parseEntry } from './history.ts';

/** How many lines the file may have, as a multiple of the messages that are kept, before it is written anew. */
const slack = 2;

/**
 * The messages of before, in a file of JSON lines that only its owner can read. Several programs may append to it at
 * once. A line that cannot be read is skipped.
 */
export class HistoryFile {
  readonly #path: string;
  #entries: readonly HistoryEntry[];
  #lines: number;
  #written: Promise<void> = Promise.resolve();

  private constructor(path: string, entries: readonly HistoryEntry[], lines: number) {
    this.#path = path;
    this.#entries = entries;
    this.#lines = lines;
  }

  /** Opens the history of a file; without one it is empty. */
  static async open(path: string): Promise<HistoryFile> {
    const lines = (await readFile(path, 'utf8').catch(() => '')).split('\n').filter(line => line !== '');
    const entries = lines
      .map(parseEntry)
      .filter(entry => entry !== undefined)
      .slice(-mostEntries);
    return new HistoryFile(path, entries, lines.length);
  }

  /** The messages, the oldest first. */
  get entries(): readonly HistoryEntry[] {
    return this.#entries;
  }

  /** Adds a message; it is written in the background. */
  add(entry: HistoryEntry): void {
    const before = this.#entries;
    this.#entries = addEntry(before, entry);
    if (this.#entries === before || !isKept(entry)) return;
    this.#written = this.#written.then(() => this.#write(entry)).catch(() => {});
  }

  /** Resolves when everything that was added is written, or could not be. */
  flush(): Promise<void> {
    return this.#written;
  }

  async #write(entry: HistoryEntry): Promise<void> {
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 });
    await appendFile(this.#path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    this.#lines++;
    if (this.#lines === 1) await chmod(this.#path, 0o600);
    if (this.#lines > mostEntries * slack) await this.#compact();
  }

  /** Other programs may have appended: the file counts, not what is in memory. */
  async #compact(): Promise<void> {
    const { entries } = await HistoryFile.open(this.#path);
    const temporary = `${this.#path}.${process.pid}`;
    await writeFile(temporary, entries.map(each => `${JSON.stringify(each)}\n`).join(''), { mode: 0o600 });
    await rename(temporary, this.#path);
    this.#lines = entries.length;
  }
}
