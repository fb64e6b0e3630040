import type * as z from 'zod';
import { optionsCheck } from '../../events/options/check-options.ts';
import { callback, flag } from '../../events/options/option-fields.ts';
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
  /** The threads whose messages were written anew. */
  rebuilt: string[];
}

export interface CheckStoreOptions {
  /** Replaces messages in tables of their own that are not what the events say. */
  readonly rebuild?: boolean;
  readonly onProgress?: (report: Readonly<StoreReport>) => void;
}

const checkOptions = optionsCheck(
  'checkStore',
  () =>
    ({ rebuild: flag().optional(), onProgress: callback().optional() }) satisfies Record<
      keyof CheckStoreOptions,
      z.ZodType
    >,
);

/** A store that keeps messages, computed from the events, in tables of their own. */
interface MessageStore {
  /** Returns the threads whose messages were not what their events say; with `rebuild` they are replaced. */
  checkMessages(options: { readonly rebuild: boolean }): Promise<{ readonly different: readonly string[] }>;
}

/**
 * Reads everything that a store has: events are gapless from 1 to the newest seq and readable, raw lines gapless from 1,
 * and messages in tables of their own are those of the events. Rejects only when the store cannot be read at all.
 */
export async function checkStore(
  log: EventLog & Partial<MessageStore>,
  options: CheckStoreOptions = {},
): Promise<StoreReport> {
  checkOptions(options);
  const { rebuild = false, onProgress = () => {} } = options;
  const report: StoreReport = { threads: 0, events: 0, rawLines: 0, problems: [], rebuilt: [] };
  for await (const thread of allThreads(log)) {
    report.threads++;
    await checkThread(log, thread, report);
    onProgress(report);
  }
  const { different } = (await log.checkMessages?.({ rebuild })) ?? { different: [] };
  if (rebuild) report.rebuilt.push(...different);
  else for (const threadId of different) report.problems.push({ threadId, message: staleMessages });
  return report;
}

const staleMessages = 'the table of messages is not what the events say: "store check --rebuild" writes it anew';

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
    const { seq } = error.details;
    report.problems.push({ threadId, ...(typeof seq === 'number' && { seq }), message: error.message });
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
