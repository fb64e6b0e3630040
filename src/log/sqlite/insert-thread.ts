import { newId } from '../../events/ids.ts';
import { checkId, checkNewThread, threadExists, threadNotFound } from '../checks.ts';
import type { NewThread, Thread } from '../event-log.ts';
import { pastTimeText } from '../event-time.ts';
import { mergeMetadata } from '../threads.ts';
import type { DerivedRows } from './derived-rows.ts';
import type { ThreadInfo } from './stored-info.ts';
import type { Tables } from './tables.ts';
import { toThread } from './thread-table.ts';
import { type ThreadRow } from './thread-row.ts';

/** Where a new thread begins. */
export type NewPlace = Pick<ThreadRow, 'owner' | 'fork' | 'imported'> & Pick<Thread, 'branchedFrom'>;

export interface ThreadInsertion {
  readonly tables: Tables;
  readonly derived: DerivedRows;
  readonly thread: NewThread;
  readonly place: NewPlace;
  /** In milliseconds. */
  readonly now: number;
}

/** Inserts a thread within a transaction; throws when its options are invalid or its id is taken. */
export function insertThread({ tables, derived, thread, place, now }: ThreadInsertion): Thread {
  checkNewThread(thread);
  const { owner, fork, imported, branchedFrom } = place;
  const { id = newId(), resourceId = 'default', title, metadata = {}, createdAt } = thread;
  if (tables.threads.place(checkId('thread id', id)) !== undefined) throw threadExists(id);
  const info: ThreadInfo = { title, metadata: mergeMetadata({}, metadata), branchedFrom };
  const created = pastTimeText(createdAt, now);
  const resource = checkId('resource id', resourceId);
  const row = { id, resource, info: JSON.stringify(info), created, updated: created, owner, fork, imported };
  tables.threads.insert(row);
  const inserted = tables.threads.find(id);
  if (inserted === undefined) throw threadNotFound(id);
  derived.setTitle(inserted, undefined, title);
  return toThread(inserted);
}
