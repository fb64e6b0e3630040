import type { ThreadRewind } from '../../control/index.ts';
import { SingletreeError } from '../../events/index.ts';
import { visibleLine } from '../../events/terminal-text.ts';
import { allThreads, type EventLog, type Thread } from '../../log/index.ts';
import { askYesNo, canAsk } from '../ask-yes-no.ts';
import { findThread } from './find-thread.ts';
import { isSameFolder } from '../../control/same-folder.ts';

export interface RewindTarget {
  readonly direction: 'undo' | 'redo';
  /** The thread that was named; the newest one of this folder when absent. */
  readonly text: string | undefined;
  /** Whether a thread of another folder is meant. */
  readonly yes: boolean;
}

/** How many threads are looked at for the newest one of this folder. */
const mostThreads = 500;

/**
 * Returns the thread to rewind. One whose newest turn worked in another folder is named to the person, who confirms it;
 * without a terminal it is refused with the command that means it.
 */
export async function findRewindTarget(
  log: EventLog,
  rewind: ThreadRewind,
  { direction, text, yes }: RewindTarget,
): Promise<Thread> {
  const isHere = async ({ id }: Thread) => isSameFolder(await rewind.findFolder(id), process.cwd());
  if (text === undefined) {
    let count = 0;
    for await (const thread of allThreads(log)) {
      if (await isHere(thread)) return thread;
      if (++count >= mostThreads) break;
    }
  }
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
