import { optionsCheck } from '../base/options/check-options.ts';
import { field, flag, name } from '../base/options/option-fields.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import type { EventLog, Thread } from './event-log.ts';
import { hasOpen } from './open-things.ts';
import { defined } from '../base/defined.ts';

export interface Retention {
  /** Only threads of this resource; of all when absent. */
  readonly resourceId?: string;
  /** Only threads that were not changed at this time or later; all when absent. */
  readonly before?: Date;
  /** Whether threads with an open run are deleted too; they are kept when absent. */
  readonly openRuns?: boolean;
}

const checkRetention = optionsCheck('deleteThreads')(() => ({
  resourceId: name().optional(),
  before: field(value => value instanceof Date && !Number.isNaN(value.getTime()), 'a date').optional(),
  openRuns: flag().optional(),
}));

const pageSize = 100;

/**
 * Deletes the threads of a resource, or those that were not changed for long, and returns how many. It deletes one after
 * the other: when it rejects, some of them are deleted. Without a resource and a time it rejects.
 */
export async function deleteThreads(log: EventLog, retention: Retention): Promise<number> {
  checkRetention(retention);
  const { resourceId, before, openRuns = false } = retention;
  if (resourceId === undefined && before === undefined)
    throw new SingletreeError(
      'invalid_argument',
      '`deleteThreads` was given neither `resourceId` nor `before`: expected at least one of them, since all threads would be deleted.',
    );
  let deleted = 0;
  let after = before && toCutoff(before);
  for (;;) {
    const page = await log.listThreads({
      limit: pageSize,
      ...defined({ resourceId }),
      ...(after && { after }),
    });
    for (const thread of page) {
      if (!openRuns && hasOpen(thread, 'run')) continue;
      if (await wasDeleted(log, thread.id)) deleted++;
    }
    if (page.length < pageSize) return deleted;
    after = page.at(-1);
  }
}

/** A place in the listing that all threads follow which were last changed before a time: no id is that low. */
function toCutoff(before: Date): Thread {
  const time = before.toISOString();
  return { id: '', resourceId: '', metadata: {}, createdAt: time, updatedAt: time, seq: 0 };
}

/** Whether it was deleted here, and not by another process meanwhile. */
async function wasDeleted(log: EventLog, threadId: string): Promise<boolean> {
  try {
    await log.deleteThread(threadId);
    return true;
  } catch (error) {
    if (SingletreeError.is(error, 'thread_not_found')) return false;
    throw error;
  }
}
