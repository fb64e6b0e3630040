import { createReadStream } from 'node:fs';
import { open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseJson } from '../../../base/parse-json.ts';
import { type LinePiece, LineReader, lineText } from '../../process/line-reader.ts';
import { toRecord, type WireRecord } from '../shared/wire-value.ts';
import type { FoundSession } from './session-format.ts';

/** How much of a file is read to list it, unless its format needs more. */
const usualHeadBytes = 16 * 1024;
/** How many files are looked at together. */
const together = 32;

/** A file of a session, as its first records describe it. */
export interface SessionHead {
  readonly path: string;
  readonly name: string;
  /** The beginning of its text. */
  readonly text: string;
  /** Returns the first defined result of `read` for the records on its complete lines; does not parse later ones. */
  readonly find: <Value>(read: (record: WireRecord) => Value | undefined) => Value | undefined;
}

/** Yields the files below a folder whose path is accepted; a folder or a file that cannot be read is skipped. */
export async function* filesBelow(
  folder: string,
  isWanted: (path: string) => boolean,
  depth = 8,
): AsyncGenerator<string> {
  // There are no sessions where there is no folder.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && depth > 0) yield* filesBelow(path, isWanted, depth - 1);
    else if (entry.isFile() && isWanted(path)) yield path;
  }
}

/** Yields the accepted files at a path: the file itself, or those below a folder. */
export async function* filesAt(path: string, isWanted: (path: string) => boolean): AsyncGenerator<string> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile() === true) yield path;
  else if (found?.isDirectory() === true) yield* filesBelow(path, isWanted);
}

/** Yields a session for each file that `describe` accepts by its first records. */
export async function* describeFiles(
  paths: AsyncIterable<string>,
  describe: (head: SessionHead) => Pick<FoundSession, 'id' | 'cwd' | 'title' | 'createdAt'> | undefined,
  headBytes = usualHeadBytes,
): AsyncGenerator<FoundSession> {
  const look = async (path: string): Promise<FoundSession | undefined> => {
    try {
      const file = await open(path);
      try {
        const { size, mtimeMs } = await file.stat();
        const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(Math.min(size, headBytes)), 0);
        const text = lineText(buffer.subarray(0, bytesRead));
        const session = describe({ path, name: basename(path), text, find: recordFinder(text) });
        const updatedAt = new Date(mtimeMs).toISOString();
        return session && { ...session, path, updatedAt, bytes: size, version: `${size} ${mtimeMs}` };
      } finally {
        await file.close();
      }
    } catch {
      return undefined; // It was removed meanwhile, or may not be read.
    }
  };
  const looks: Promise<FoundSession | undefined>[] = [];
  const drain = async () => (await Promise.all(looks.splice(0))).filter(session => session !== undefined);
  for await (const path of paths) {
    looks.push(look(path));
    if (looks.length >= together) yield* await drain();
  }
  yield* await drain();
}

function recordFinder(text: string): SessionHead['find'] {
  const lines = text.split('\n');
  const records: (WireRecord | undefined)[] = [];
  return read => {
    for (let at = 0; at < lines.length; at++) {
      if (at === records.length) records.push(parseRecord(lines[at] ?? ''));
      const record = records[at];
      const value = record && read(record);
      if (value !== undefined) return value;
    }
    return undefined;
  };
}

/** Returns the record on a line; undefined when it is none. */
export function readRecord(bytes: Uint8Array): WireRecord | undefined {
  return parseRecord(lineText(bytes));
}

function parseRecord(line: string): WireRecord | undefined {
  return toRecord(parseJson(line));
}

/** Yields the lines of a file; none when it does not exist. */
export async function* fileLines(path: string): AsyncGenerator<LinePiece> {
  const reader = new LineReader();
  try {
    for await (const chunk of createReadStream(path)) yield* reader.push(chunk as Buffer);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  yield* reader.end();
}
