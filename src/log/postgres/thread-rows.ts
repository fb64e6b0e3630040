import { newId } from '../../events/ids.ts';
import { checkId, checkNewThread } from '../checks.ts';
import type { NewThread, Thread } from '../event-log.ts';
import { openThingsIn } from '../open-things.ts';
import { mergeMetadata, metadataText } from '../threads.ts';

/** A thread as the view `thread_rows` returns it; numbers come as texts. */
export interface ThreadRow {
  readonly id: string;
  readonly resource: string;
  readonly title: string | null;
  readonly metadata: string | null;
  readonly created_ms: string;
  readonly updated_ms: string;
  readonly seq: string;
  readonly imported: string | null;
  readonly from_thread: string | null;
  readonly from_seq: string | null;
  readonly open: string | null;
}

/** Returns the thread of a row. */
export function toThread(row: ThreadRow): Thread {
  const open = openThingsIn(row.open ?? '[]');
  return {
    id: row.id,
    resourceId: row.resource,
    ...(row.title !== null && { title: JSON.parse(row.title) as string }),
    metadata: JSON.parse(`{${row.metadata ?? ''}}`) as Record<string, unknown>,
    createdAt: isoTime(row.created_ms),
    updatedAt: isoTime(row.updated_ms),
    seq: Number(row.seq),
    ...(row.from_thread !== null && { branchedFrom: { threadId: row.from_thread, seq: Number(row.from_seq) } }),
    ...(row.imported !== null && { importedSeq: Number(row.imported) }),
    ...(open.length > 0 && { open }),
  };
}

/** A time of the database, in milliseconds, as ISO 8601. */
export function isoTime(milliseconds: string | number): string {
  return new Date(Math.floor(Number(milliseconds))).toISOString();
}

/** Names and values of changed metadata as two texts; null when nothing changes. */
export function metadataLines(metadata: Readonly<Record<string, unknown>> = {}): [string | null, string | null] {
  const changes = Object.entries(metadata).flatMap(([name, value]) => {
    const text = metadataText(value);
    return text === undefined ? [] : [[JSON.stringify(name), text] as const];
  });
  if (changes.length === 0) return [null, null];
  return [changes.map(([name]) => name).join('\n'), changes.map(([, value]) => value).join('\n')];
}

/** The values of the statement that creates a thread, but for the time; throws `invalid_argument`. */
export function newThreadRow(
  thread: NewThread,
  from: Thread['branchedFrom'],
): { readonly id: string; readonly values: readonly unknown[] } {
  checkNewThread(thread);
  const { id = newId(), resourceId, title, metadata = {}, imported } = thread;
  checkId('thread id', id);
  if (resourceId !== undefined) checkId('resource id', resourceId);
  const values = [
    id,
    newId(),
    resourceId ?? null,
    title === undefined ? null : JSON.stringify(title),
    ...metadataLines(mergeMetadata({}, metadata)),
    imported === true,
    from?.threadId ?? null,
    from?.seq ?? null,
  ];
  return { id, values };
}
