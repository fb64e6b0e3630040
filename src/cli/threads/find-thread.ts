import { SingletreeError } from '../../events/index.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';

/** The shortest beginning of an id that is shown or accepted. */
export const shortest = 4;

/** Threads that can be found by id. */
export interface ThreadIndex<Found extends { readonly id: string }> {
  newest(): Promise<Found | undefined>;
  get(id: string): Promise<Found | undefined>;
  all(): AsyncIterable<Found>;
}

/** Returns the thread of an id, of a unique beginning of one, or of `last`, the newest; throws when there is none. */
export function findThread(log: EventLog, text: string): Promise<Thread> {
  return findIn(
    {
      newest: async () => (await log.listThreads({ limit: 1 }))[0],
      get: id => log.getThread(id),
      all: () => allThreads(log),
    },
    text,
  );
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

/** Returns the shortest unique beginning of each id, of at least thirteen characters: those of a time in milliseconds. */
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
