import { lineText } from '../../agents/process/line-reader.ts';
import { readRecord } from '../../agents/cli/sessions/session-files.ts';
import { isIncomplete, type TranslatedLine, translateSession } from '../../agents/cli/sessions/translate-session.ts';
import type { Redactor } from '../../agents/redaction/redactor.ts';
import { defined } from '../../base/defined.ts';
import type { EventLog } from '../../log/event-log.ts';
import { ImportTarget, storedLines } from './import-target.ts';
import { findImportedThread, readNote, sessionKey, sessionStatus, type SessionSource } from './session-source.ts';

export interface ImportOptions {
  /** Whose thread it becomes; `default` when absent. */
  readonly resourceId?: string;
  /** Replaces the secrets that it knows in everything that is stored. */
  readonly redactor?: Redactor;
  /** Calls back with the bytes that were read so far. */
  readonly onProgress?: (bytes: number) => void;
}

/** The result of an import. */
export interface ImportedSession {
  /** The thread that has the session; absent when the session has no conversation. */
  readonly threadId?: string;
  /** `branched`: the source diverged from the thread, which stays unchanged. */
  readonly status: 'imported' | 'added' | 'branched' | 'unchanged' | 'empty';
  /** How many events were added. */
  readonly events: number;
  /** How many lines could not be read, and where the first 100 of them are; they are stored as they are. */
  readonly unreadable: { readonly count: number; readonly lines: readonly string[] };
  /** How many records of each unknown kind were stored as they are. */
  readonly unknown: Readonly<Record<string, number>>;
  /** How many secrets were replaced. */
  readonly secrets: number;
}

const mostReported = 100;

type Redact = (bytes: Uint8Array) => Uint8Array;

/** The findings of an import in its source. */
interface Found {
  readonly unreadable: { count: number; readonly lines: string[] };
  readonly unknown: Record<string, number>;
  secrets: number;
}

/**
 * Imports a session of an external agent in constant memory: into a new thread, or only the new lines into the thread
 * that already has the session. Creates a branch where the source and the thread diverge, because a person continued
 * the thread or the source was changed. The source is only read; the next import completes one that was killed.
 */
export async function importSession(
  log: EventLog,
  source: SessionSource,
  { resourceId, redactor, onProgress }: ImportOptions = {},
): Promise<ImportedSession> {
  const { agentId, format, session } = source;
  const { thread, count } = await findImportedThread(log, source);
  const target = new ImportTarget({ log, source, resourceId, thread, count });
  const found: Found = { unreadable: { count: 0, lines: [] }, unknown: {}, secrets: 0 };
  const report = (status: ImportedSession['status']): ImportedSession => {
    const { threadId, appended: events } = target;
    return { ...defined({ threadId }), status, events, ...found };
  };
  if (sessionStatus(thread, source) === 'imported') return report('unchanged');

  const id = sessionKey(source);
  const redact = redactor && ((bytes: Uint8Array) => redactLine(bytes, redactor, count => (found.secrets += count)));
  const known = thread && (await compareLines(log, source, { threadId: thread.id, runId: id, redact }));
  found.secrets = 0;
  const isContinued = thread !== undefined && thread.seq !== thread.importedSeq;
  const branchAfter = known?.isDifferent === true || (isContinued && known?.hasMore === true) ? known?.same : undefined;
  if (branchAfter === undefined && isContinued) return report('unchanged');
  if (branchAfter === 0) await target.branch();
  const pauses = readNote(thread)?.pauses.filter(number => number <= (known?.same ?? 0)) ?? [];
  let [bytes, lines] = [0, 0];
  const translation = translateSession(format, session, {
    ids: { id, sessionId: session.id, agentId },
    ...defined({ redact }),
  });
  for await (const line of translation) {
    note(line, found);
    if (line.runId === id) lines = line.number;
    target.add(line.events);
    if (line.runId !== undefined)
      await target.addLine(line.runId, { n: line.number, ts: line.ts, stream: 'stdout', line: line.bytes });
    if (line.runId === id && line.number <= (known?.same ?? 0)) {
      // An earlier import ended a turn that was complete here.
      if (pauses.includes(line.number)) target.add(translation.pause());
      if (line.number === branchAfter) await target.branch();
    }
    if (known === undefined || line.runId !== id || line.number > known.same) await target.flushSome();
    onProgress?.((bytes += line.bytes.length));
  }
  const last = translation.pause();
  target.add(last);
  await target.finish(last.length === 0 ? pauses : [...pauses, lines]);
  if (target.threadId === undefined) return report('empty');
  if (target.appended === 0) return report('unchanged');
  return report(branchAfter !== undefined ? 'branched' : thread === undefined ? 'imported' : 'added');
}

/** Returns a line with its secrets replaced. */
function redactLine(bytes: Uint8Array, redactor: Redactor, onFound: (count: number) => void): Uint8Array {
  const text = Buffer.from(bytes).toString('utf8');
  const { length } = redactor.scan(text).found;
  if (length === 0) return bytes;
  onFound(length);
  const [, line = '', ending = ''] = /^(.*?)(\r?\n?)$/s.exec(text) ?? [];
  return Buffer.from(redactor.json(line) + ending);
}

function note({ runId, number, isUnreadable, unknownKind }: TranslatedLine, found: Found): void {
  if (isUnreadable === true) {
    found.unreadable.count++;
    if (found.unreadable.lines.length < mostReported) found.unreadable.lines.push(`${runId ?? ''}:${number}`);
  }
  if (unknownKind !== undefined) found.unknown[unknownKind] = (found.unknown[unknownKind] ?? 0) + 1;
}

interface Compared {
  /** How many lines of the source are those that are stored. */
  readonly same: number;
  /** Whether the next line of the source is another one than the stored line. */
  readonly isDifferent: boolean;
  /** Whether the source has a line after all that are stored. */
  readonly hasMore: boolean;
}

/** Compares the lines of a source with those that its thread has. */
async function compareLines(
  log: EventLog,
  { format, session }: SessionSource,
  { threadId, runId, redact = bytes => bytes }: { threadId: string; runId: string; redact: Redact | undefined },
): Promise<Compared> {
  const isSame = format.isSameLine ?? ((a, b) => lineText(a) === lineText(b));
  const stored = storedLines(log, threadId, runId);
  let same = 0;
  for await (const { bytes } of format.lines(session)) {
    if (isIncomplete(bytes, readRecord(bytes))) break;
    const { value: before } = await stored.next();
    if (before === undefined) return { same, isDifferent: false, hasMore: true };
    if (!isSame(before, redact(bytes))) return { same, isDifferent: true, hasMore: true };
    same++;
  }
  return { same, isDifferent: false, hasMore: false };
}
