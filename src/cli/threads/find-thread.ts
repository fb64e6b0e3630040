import type { ThreadRewind } from '../../control/rewind/rewind-thread.ts';
import { isSameFolder } from '../../control/same-folder.ts';
import { ThreadDigests } from '../../control/threads/thread-folds.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { visibleLine } from '../../base/terminal-text.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';

/** The minimum length of an id prefix that is shown or accepted. */
export const shortest = 4;

/** Threads that can be found by id. */
export interface ThreadIndex<Found extends { readonly id: string }> {
  newest(): Promise<Found | undefined>;
  get(id: string): Promise<Found | undefined>;
  all(): AsyncIterable<Found>;
}

/** The number of threads searched for the newest one of a folder. */
const mostThreads = 500;

/**
 * Returns the thread with an id, with a unique prefix of an id, or for `last` the newest one of the folder, else the
 * newest one. Throws `thread_not_found` when no thread matches.
 */
export function findThread(log: EventLog, text: string, folder: string = process.cwd()): Promise<Thread> {
  return findIn(
    {
      newest: async () => (await findNewest(log, folder)) ?? (await log.listThreads({ limit: 1 }))[0],
      get: id => log.getThread(id),
      all: () => allThreads(log),
    },
    text,
  );
}

/** Returns the newest thread of a folder. */
export async function findNewest(log: EventLog, folder: string): Promise<Thread | undefined> {
  const digests = new ThreadDigests(log);
  return findFirst(log, async thread => isSameFolder(await digests.findStartFolder(thread), folder));
}

async function findFirst(log: EventLog, fits: (thread: Thread) => Promise<boolean>): Promise<Thread | undefined> {
  let count = 0;
  for await (const thread of allThreads(log)) {
    if (await fits(thread)) return thread;
    if (++count >= mostThreads) break;
  }
  return undefined;
}

/**
 * Finds the thread to continue, as `findThread` does. When `last` is a thread of another folder, it asks the user to
 * confirm it; without a terminal it throws `invalid_argument` with the id to use instead.
 */
export async function findThreadToContinue(log: EventLog, text: string, folder: string): Promise<Thread> {
  const thread = await findThread(log, text, folder);
  if (text !== 'last') return thread;
  const other = await new ThreadDigests(log).findStartFolder(thread);
  if (isSameFolder(other, folder)) return thread;
  const title = JSON.stringify(thread.title ?? 'Untitled');
  const place = other === undefined ? 'has no folder' : `is one of ${other}`;
  const what = visibleLine(`No thread is of this folder. The newest one, ${title} (${thread.id}), ${place}`);
  if (canAsk() && (await askYesNo(`${what}. Continue it?`))) return thread;
  throw new SingletreeError('invalid_argument', `${what}. If you mean it, write ${thread.id} instead of "last".`);
}

/** Finds a thread of any index, as `findThread` does in a log. */
export async function findIn<Found extends { readonly id: string }>(
  index: ThreadIndex<Found>,
  text: string,
): Promise<Found> {
  const exact = text === 'last' ? await index.newest() : await index.get(text);
  if (exact !== undefined) return exact;
  const found: Found[] = [];
  if (text !== 'last' && text.length >= shortest)
    for await (const thread of index.all()) if (thread.id.startsWith(text)) found.push(thread);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw found.length > 1 ? severalThreads(text, found) : threadNotFound(text);
}

function severalThreads(text: string, found: readonly { readonly id: string }[]): SingletreeError {
  return new SingletreeError(
    'thread_not_found',
    `"${text}" is the beginning of ${found.length} threads: ${found
      .slice(0, 5)
      .map(({ id }) => id)
      .join(', ')}. Write more of the id.`,
  );
}

/** The error for a thread that the log does not contain. */
export function threadNotFound(text: string): SingletreeError {
  if (text === 'last')
    return new SingletreeError(
      'thread_not_found',
      'This log has no threads yet. Start one: singletree run coder "…"; --store and --db name another log.',
    );
  return new SingletreeError(
    'thread_not_found',
    `There is no thread "${text}". Expected an id or the beginning of one, which a run prints as "thread …" and \`singletree threads\` lists, or "last"; --store and --db name another log.`,
  );
}

/** Returns the shortest unique prefix of each id, of at least 13 characters, the length of its time in milliseconds. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  const common = (a = '', b = '') => {
    let length = 0;
    while (length < a.length && a[length] === b[length]) length++;
    return length;
  };
  return new Map(
    sorted.map((id, at) => [
      id,
      id.slice(0, Math.max(13, common(id, sorted[at - 1]) + 1, common(id, sorted[at + 1]) + 1)),
    ]),
  );
}

interface RewindTarget {
  readonly direction: 'undo' | 'redo';
  /** The thread that was named; the newest one of this folder when absent. */
  readonly text: string | undefined;
  /** Whether to accept a thread of another folder without asking. */
  readonly yes: boolean;
}

/**
 * Returns the thread to rewind. Asks the user to confirm a thread whose newest turn ran in another folder; without a
 * terminal it throws with the exact command to use.
 */
export async function findRewindTarget(
  log: EventLog,
  rewind: ThreadRewind,
  { direction, text, yes }: RewindTarget,
): Promise<Thread> {
  const isHere = async ({ id }: Thread) => isSameFolder(await rewind.findFolder(id), process.cwd());
  const newest = text === undefined ? await findFirst(log, isHere) : undefined;
  if (newest !== undefined) return newest;
  const thread = await findThread(log, text ?? 'last');
  const folder = await rewind.findFolder(thread.id);
  if (yes || folder === undefined || (await isHere(thread))) return thread;
  const title = JSON.stringify(thread.title ?? 'Untitled');
  const what = visibleLine(
    `This would ${direction} a turn of the thread ${title} (${thread.id}) of ${folder}, not of this folder`,
  );
  if (canAsk() && (await askYesNo(`${what}. Continue?`))) return thread;
  throw new SingletreeError(
    'invalid_argument',
    `${what}: nothing was changed. If you mean it: singletree ${direction} ${thread.id} --yes`,
  );
}
