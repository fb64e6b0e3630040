import * as z from 'zod';
import { once } from '../../events/define.ts';

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

/** Adds a message; the one that was entered before it is not repeated. */
export function addEntry(entries: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const last = entries.at(-1);
  if (!isKept(entry) || (last?.text === entry.text && last.folder === entry.folder)) return entries;
  return [...entries, entry].slice(-mostEntries);
}

/** Whether a message is short enough to be kept, and not only space. */
export function isKept({ text }: HistoryEntry): boolean {
  return text.trim() !== '' && text.length <= longestEntry;
}

/** Returns the different texts, the newest first: of one folder, or of all. */
export function recentTexts(entries: readonly HistoryEntry[], folder?: string): readonly string[] {
  const own = folder === undefined ? entries : entries.filter(entry => entry.folder === folder);
  return [...new Set(own.map(({ text }) => text).toReversed())];
}

/** Returns the entry of a line of the history file; undefined when it is none. */
export function parseEntry(line: string): HistoryEntry | undefined {
  try {
    const { data } = entrySchema().safeParse(JSON.parse(line));
    return data;
  } catch {
    return undefined;
  }
}
