import { appendFile, chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import * as z from 'zod';
import { once } from '../../base/once.ts';
import { type TextWalk, walkTexts } from '../../projections/completion/walk-texts.ts';
import { type Composer, type Draft, replaceDraft } from './composer.ts';

/** A message that a person sent or took back, and where. */
export interface HistoryEntry {
  readonly text: string;
  /** The folder of the project. */
  readonly folder: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The number of messages that are kept. */
export const mostEntries = 2_000;
/** The length of a message from which it is not kept. */
const longestEntry = 100_000;

const entrySchema = once(() => z.object({ text: z.string().min(1), folder: z.string(), at: z.number() }));

/** Returns the entries with a message added, unless it is blank, too long or repeats the last entry. */
export function addEntry(entries: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const last = entries.at(-1);
  if (!isKept(entry) || (last?.text === entry.text && last.folder === entry.folder)) return entries;
  return [...entries, entry].slice(-mostEntries);
}

/** Whether a message is short enough to be kept, and not only space. */
function isKept({ text }: HistoryEntry): boolean {
  return text.trim() !== '' && text.length <= longestEntry;
}

/** Returns the different texts, the newest first: of one folder, or of all. */
export function recentTexts(entries: readonly HistoryEntry[], folder?: string): readonly string[] {
  const own = folder === undefined ? entries : entries.filter(entry => entry.folder === folder);
  return [...new Set(own.map(({ text }) => text).toReversed())];
}

/** Returns the entry of a line of the history file; undefined when it is none. */
function parseEntry(line: string): HistoryEntry | undefined {
  try {
    const { data } = entrySchema().safeParse(JSON.parse(line));
    return data;
  } catch {
    return undefined;
  }
}

/** The file is rewritten when it has more lines than this multiple of the messages that are kept. */
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
    // A history that cannot be written is still complete in this chat.
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

/** The position in the history, and the draft to return to. */
export type HistoryWalk = TextWalk<Draft>;

/** A composer that shows a message from the history. */
interface Walked {
  readonly composer: Composer;
  readonly walk: HistoryWalk | undefined;
}

/** Shows the message before (`step` 1) or after (-1) the one that is shown, as `walkTexts` finds it. */
export function walkHistory(
  composer: Composer,
  walk: HistoryWalk | undefined,
  move: { readonly entries: readonly string[]; readonly step: 1 | -1 },
): Walked | undefined {
  const { text, cursor, isLiteral } = composer;
  const found = walkTexts<Draft>({ text, cursor, isLiteral }, walk, move);
  if (found === undefined) return undefined;
  if (found.walk === undefined) return { composer: { ...replaceDraft(composer, ''), ...found.draft }, walk: undefined };
  return { composer: replaceDraft(composer, found.text), walk: found.walk };
}
