import type { AgentEvent } from '../../../events/vocabulary.ts';
import { toText, type WireRecord } from '../shared/wire-value.ts';
import { readRecord } from './session-files.ts';
import type { FoundSession, SessionFormat, SessionReader } from './session-format.ts';
import type { SessionIds } from './session-turns.ts';

/** How deep the files of subagents are included. */
const deepest = 16;

/** A line of a session and the events it became. */
export interface TranslatedLine {
  /** The run whose raw line it is; undefined when it is not stored. */
  readonly runId: string | undefined;
  /** Its number among the raw lines of that run. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** The time of its record, ISO 8601. */
  readonly ts: string;
  readonly events: readonly AgentEvent[];
  /** The kind of a record that the reader does not know. */
  readonly unknownKind?: string;
  /** Whether it could not be read as a record. */
  readonly isUnreadable?: true;
}

export interface SessionTranslation extends AsyncIterable<TranslatedLine> {
  /** Ends a turn that is complete, and returns its last events: nothing more is written for now. */
  pause(): readonly AgentEvent[];
}

export interface SessionTranslationOptions {
  readonly ids: SessionIds;
  /** Changes each line before it is read. */
  readonly redact?: (bytes: Uint8Array) => Uint8Array;
}

/** Translates a session to events, line by line. Lines of included files precede the line that includes them. */
export function translateSession(
  format: SessionFormat,
  session: FoundSession,
  { ids, redact = bytes => bytes }: SessionTranslationOptions,
): SessionTranslation {
  const reader = format.reader(ids);
  reader.turns.cwd = session.cwd;
  return {
    [Symbol.asyncIterator]: () => translateFile({ format, session, reader, redact }, { runId: ids.id }, 0),
    pause() {
      reader.turns.begin(undefined);
      reader.pause();
      return reader.turns.end();
    },
  };
}

interface Translating {
  readonly format: SessionFormat;
  readonly session: FoundSession;
  readonly reader: SessionReader;
  readonly redact: (bytes: Uint8Array) => Uint8Array;
}

async function* translateFile(
  translating: Translating,
  { name, runId }: { readonly name?: string; readonly runId?: string | undefined },
  depth: number,
): AsyncGenerator<TranslatedLine> {
  const { format, session, reader, redact } = translating;
  const { turns } = reader;
  let number = 0;
  for await (const { kind, bytes: read } of format.lines(session, name)) {
    number++;
    const bytes = redact(read);
    const record = kind === 'line' ? readRecord(bytes) : undefined;
    if (record !== undefined && depth < deepest) {
      turns.begin(name === undefined ? number : undefined);
      const files = reader.before?.(record) ?? [];
      yield* otherEvents(reader);
      for (const file of files) {
        yield* translateFile(translating, file, depth + 1);
        turns.begin(undefined);
        reader.endFile?.(file.name);
        yield* otherEvents(reader);
      }
    }
    turns.begin(name === undefined ? number : undefined);
    const known = record === undefined ? undefined : takeSafely(reader, record, name);
    const events = turns.end();
    const isBlank = kind === 'line' && bytes.length < 3 && Buffer.from(bytes).toString().trim() === '';
    yield {
      // The program may still be writing it.
      runId: isIncomplete(bytes, record) ? undefined : runId,
      number,
      bytes,
      ts: turns.ts,
      events,
      ...(known === undefined && !isBlank && { isUnreadable: true as const }),
      ...(known === false && { unknownKind: (toText(record?.['type']) ?? 'unnamed').slice(0, 64) }),
    };
  }
}

/** Yields the events that belong to no record. */
function* otherEvents({ turns }: SessionReader): Generator<TranslatedLine> {
  const events = turns.end();
  if (events.length > 0) yield { runId: undefined, number: 0, bytes: new Uint8Array(), ts: turns.ts, events };
}

/** Whether a line is the beginning of a record that ends with the file. */
export function isIncomplete(bytes: Uint8Array, record: WireRecord | undefined): boolean {
  return record === undefined && bytes.at(-1) !== 0x0a;
}

/** Returns undefined for a record whose fields have forms that its reader cannot take. */
function takeSafely(reader: SessionReader, record: WireRecord, file: string | undefined): boolean | undefined {
  try {
    return reader.take(record, file);
  } catch {
    return undefined;
  }
}
