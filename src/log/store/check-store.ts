import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, flag } from '../../base/options/option-fields.ts';
import { defined } from '../../base/defined.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { parseEventText } from '../../events/parse.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../all-threads.ts';
import type { EventLog, Thread } from '../event-log.ts';
import { pageBytes } from '../event-size.ts';
import { openAfter, openChanges, type OpenThing } from '../open-things.ts';
import { inheritedSeq } from '../own-events.ts';

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
  /** The threads whose derived tables were rebuilt. */
  rebuilt: string[];
}

export interface CheckStoreOptions {
  /** Rebuilds derived tables (open things, messages) that do not match the events. */
  readonly rebuild?: boolean;
  readonly onProgress?: (report: Readonly<StoreReport>) => void;
}

const checkOptions = optionsCheck<CheckStoreOptions>('checkStore')(() => ({
  rebuild: flag().optional(),
  onProgress: callback().optional(),
}));

/** The tables that a store derives from the events. */
interface DerivedTables {
  /** Replaces the open things in the index of a thread when `seq` is its newest event; returns whether it is. */
  replaceOpen(threadId: string, things: readonly OpenThing[], seq: number): Promise<boolean>;
  /** Returns the threads whose messages were not what their events say; with `rebuild` they are replaced. */
  checkMessages(options: { readonly rebuild: boolean }): Promise<{ readonly different: readonly string[] }>;
}

/**
 * Reads a whole store and reports its problems: events must be readable and gapless from 1 to the newest seq, raw lines
 * gapless from 1, and the derived tables of open things and messages must match the events. Rejects only when the store
 * cannot be read at all.
 */
export async function checkStore(
  log: EventLog & Partial<DerivedTables>,
  options: CheckStoreOptions = {},
): Promise<StoreReport> {
  checkOptions(options);
  const { rebuild = false, onProgress = () => {} } = options;
  const report: StoreReport = { threads: 0, events: 0, rawLines: 0, problems: [], rebuilt: [] };
  for await (const thread of allThreads(log)) {
    report.threads++;
    const open = await checkThread(log, thread, report);
    if (open !== undefined && !isSame(open, thread.open ?? []))
      if (rebuild && (await log.replaceOpen?.(thread.id, open, thread.seq)) === true) report.rebuilt.push(thread.id);
      else report.problems.push({ threadId: thread.id, message: staleOpen });
    onProgress(report);
  }
  const { different } = (await log.checkMessages?.({ rebuild })) ?? { different: [] };
  if (rebuild) report.rebuilt = [...new Set([...report.rebuilt, ...different])];
  else for (const threadId of different) report.problems.push({ threadId, message: staleMessages });
  return report;
}

const staleMessages = 'the table of messages is not what the events say: "store check --rebuild" writes it anew';

const staleOpen = 'the index of open things is not what the events say: "store check --rebuild" writes it anew';

/** Whether the same things are open; the owner of a run is not in the events. */
function isSame(things: readonly OpenThing[], others: readonly OpenThing[]): boolean {
  const list = (all: readonly OpenThing[]) =>
    JSON.stringify(all.map(({ kind, id, runId, seq, request }) => [kind, id, runId, seq, request]));
  return list(things) === list(others);
}

/** Reports the problems of a thread; returns its open things by its events, undefined when they cannot be read. */
async function checkThread(
  log: EventLog,
  thread: Thread,
  report: StoreReport,
): Promise<readonly OpenThing[] | undefined> {
  const { id: threadId } = thread;
  const before = report.problems.length;
  const runIds = new Set<string>();
  let open: readonly OpenThing[] = [];
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
        const event = checkEvent(text, after, problem => report.problems.push({ threadId, ...problem }));
        if (event === undefined) continue;
        runIds.add(event.runId);
        const changes = after > inheritedSeq(thread) ? openChanges([event]) : undefined;
        if (changes !== undefined) open = openAfter(open, changes);
      }
      report.events += texts.length;
    }
    for (const runId of runIds) await checkRaw(log, threadId, runId, report);
    const owners = new Map(thread.open?.map(({ id, owner }) => [id, owner]));
    const owned = open.map(thing =>
      thing.kind === 'run' ? { ...thing, ...defined({ owner: owners.get(thing.id) }) } : thing,
    );
    return report.problems.length === before ? owned : undefined;
  } catch (error) {
    if (!SingletreeError.is(error)) throw error;
    // A thread that was deleted meanwhile is no problem.
    if (error.code === 'thread_not_found' && (await log.getThread(threadId)) === undefined) return undefined;
    const { seq } = error.details;
    report.problems.push({ threadId, ...(typeof seq === 'number' && { seq }), message: error.message });
    return undefined;
  }
}

/** Returns an event and reports its problems. */
function checkEvent(
  text: string,
  seq: number,
  onProblem: (problem: Omit<StoreProblem, 'threadId'>) => void,
): LoggedEvent | undefined {
  try {
    const event = parseEventText(text, `event ${seq}`);
    if (event.seq !== seq) onProblem({ seq, message: `event ${seq} has the seq ${event.seq}` });
    return { ...event, seq } as LoggedEvent;
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
