import { parseEventText, SingletreeError } from '../../events/index.ts';
import { allThreads } from '../all-threads.ts';
import type { EventLog, Thread } from '../event-log.ts';
import { pageBytes } from '../event-size.ts';

const pageSize = 500;
const rawPage = 200;

/** Something in a store that is not as it was written. */
export interface StoreProblem {
  readonly threadId: string;
  /** The seq of the event, when it is one. */
  readonly seq?: number;
  readonly message: string;
}

export interface StoreReport {
  threads: number;
  events: number;
  rawLines: number;
  problems: StoreProblem[];
}

export interface CheckStoreOptions {
  /** Writes the messages that a store keeps for readers of its tables anew, instead of comparing them. */
  readonly rebuild?: boolean;
  readonly onProgress?: (report: Readonly<StoreReport>) => void;
}

/** What a store keeps beside the events, computed from them. */
export interface MessageTable {
  /** Returns the ids of messages of a thread that are not what its events say. */
  checkMessages(threadId: string): Promise<readonly string[]>;
  /** Writes the messages of a thread anew. */
  rebuildMessages(threadId: string): Promise<void>;
}

/**
 * Reads everything that a store has: events are gapless from 1 to the newest seq and readable, raw lines gapless from 1,
 * and messages in tables of their own are those of the events. Rejects only when the store cannot be read at all.
 */
export async function checkStore(
  log: EventLog & Partial<MessageTable>,
  { rebuild = false, onProgress = () => {} }: CheckStoreOptions = {},
): Promise<StoreReport> {
  const report: StoreReport = { threads: 0, events: 0, rawLines: 0, problems: [] };
  for await (const thread of allThreads(log)) {
    report.threads++;
    if (rebuild) await log.rebuildMessages?.(thread.id);
    await checkThread(log, thread, report);
    for (const id of (await log.checkMessages?.(thread.id)) ?? [])
      report.problems.push({ threadId: thread.id, message: `the message "${id}" is not what its events say` });
    onProgress(report);
  }
  return report;
}

async function checkThread(log: EventLog, thread: Thread, report: StoreReport): Promise<void> {
  const { id: threadId } = thread;
  const runIds = new Set<string>();
  try {
    for (let after = 0; after < thread.seq; ) {
      const range = { after, before: thread.seq + 1, limit: pageSize, maxBytes: pageBytes };
      const texts = await log.readTexts(threadId, range);
      if (texts.length === 0) {
        report.problems.push({ threadId, seq: after + 1, message: `event ${after + 1} is missing` });
        break;
      }
      for (const text of texts) {
        after++;
        const runId = checkEvent(text, after, problem => report.problems.push({ threadId, ...problem }));
        if (runId !== undefined) runIds.add(runId);
      }
      report.events += texts.length;
    }
    for (const runId of runIds) await checkRaw(log, threadId, runId, report);
  } catch (error) {
    if (!SingletreeError.is(error)) throw error;
    // A thread that was deleted meanwhile is no problem.
    if (error.code === 'thread_not_found' && (await log.getThread(threadId)) === undefined) return;
    report.problems.push({ threadId, message: error.message });
  }
}

/** Returns the run of an event; reports what is wrong with it. */
function checkEvent(text: string, seq: number, onProblem: (problem: Omit<StoreProblem, 'threadId'>) => void) {
  try {
    const event = parseEventText(text, `event ${seq}`);
    if (event.seq !== seq) onProblem({ seq, message: `event ${seq} has the seq ${event.seq}` });
    return event.runId;
  } catch (error) {
    if (!SingletreeError.is(error)) throw error;
    onProblem({ seq, message: error.message });
    return undefined;
  }
}

async function checkRaw(log: EventLog, threadId: string, runId: string, report: StoreReport): Promise<void> {
  for (let after = 0; ; ) {
    const lines = await log.readRaw(threadId, runId, { after, limit: rawPage });
    for (const { n } of lines) {
      after++;
      if (n === after) continue;
      report.problems.push({ threadId, message: `raw line ${after} of the run "${runId}" is missing` });
      return;
    }
    report.rawLines += lines.length;
    if (lines.length < rawPage) return;
  }
}
