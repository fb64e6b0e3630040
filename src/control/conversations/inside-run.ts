import * as z from 'zod';
import { runMark, runVariable, threadMark } from '../../agents/process/process-marks.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { listOpenRuns } from '../supervision/open-runs.ts';

/** The header in which a command that a run started states the runs that it works for. */
export const runHeader = 'singletree-run';

/** How a caller shows which runs it works for. */
export interface RunCaller {
  /** The marks of its process, as it states them. */
  readonly marks?: string | undefined;
  /** Its session in an external program, and the call by which it asks, as that program names them in its output too. */
  readonly ids?: readonly string[];
}

/** The runs that this process works for; undefined when no run started it. */
export function ownRunMarks(): string | undefined {
  return process.env[runVariable];
}

/** Returns the marks of the runs around a caller and around this process. */
export function readMarks({ marks = '' }: RunCaller): readonly string[] {
  return `${ownRunMarks() ?? ''} ${marks}`.split(/\s+/).filter(mark => mark !== '');
}

/**
 * Throws `request_forbidden` when this process, or the caller that asks it, was started by a run of a thread, or by one
 * below it: a person answers and writes to a run, not its own programs.
 */
export async function checkOutsideRuns(log: EventLog, thread: Thread, caller: RunCaller = {}): Promise<void> {
  for (const inside of await findCallingThreads(log, caller, thread.resourceId)) {
    const around = [inside.id, inside.metadata['parentThreadId'], ...readStartedBy(inside).threads];
    if (!around.includes(thread.id)) continue;
    throw new SingletreeError(
      'request_forbidden',
      'This was asked from inside the run itself: a person has to answer and write to it, from outside the run.',
      { details: { threadId: thread.id } },
    );
  }
}

/** Returns the threads with an open run that this process, or the caller that asks it, works for. */
export async function findCallingThreads(log: EventLog, caller: RunCaller, resourceId?: string): Promise<Thread[]> {
  const { ids = [] } = caller;
  const marks = new Set(readMarks(caller).map(threadMark));
  if (marks.size + ids.length === 0) return [];
  const found: Promise<Thread[]>[] = [];
  for await (const thread of allThreads(log, { open: 'run', resourceId })) {
    const isMarked = listOpenRuns(thread).some(({ owner, runId }) =>
      marks.has(threadMark(runMark(owner, thread.id, runId))),
    );
    found.push(isMarked ? Promise.resolve([thread]) : reportsIds(log, thread, ids).then(is => (is ? [thread] : [])));
  }
  return (await Promise.all(found)).flat();
}

/**
 * How long the sessions and calls of a program are waited for, in milliseconds: it may call before its output is read. Who
 * calls from outside waits as long while external programs run.
 */
const reportMs = 2_000;

/** Whether the external program of a thread reported one of these sessions or calls, or does so soon. */
async function reportsIds(log: EventLog, thread: Thread, ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false;
  const open = new Set(listOpenRuns(thread).map(({ runId }) => runId));
  /** The open runs of which the log shows no request to a model: external programs make those themselves. */
  const external = new Set<string>();
  let last = thread.importedSeq;
  for await (const event of readEvents(log, thread.id, last)) {
    if (isReport(event, ids)) return true;
    if (event.type === 'harness_start' && open.has(event.runId)) external.add(event.runId);
    if (isSettled(event)) external.delete(event.runId);
    last = event.seq;
  }
  if (external.size === 0) return false;
  for await (const event of log.tail(thread.id, last, { signal: AbortSignal.timeout(reportMs) })) {
    if (isReport(event, ids)) return true;
    if (isSettled(event)) external.delete(event.runId);
    if (external.size === 0) return false;
  }
  return false;
}

/** Whether no program reports anything more in the run of an event: it ended, or it calls a model itself. */
function isSettled(event: LoggedEvent): boolean {
  return event.type === 'harness_end' || (event.type === 'model_context' && event.reported !== true);
}

function isReport(event: LoggedEvent, ids: readonly string[]): boolean {
  if (event.type === 'session') return ids.includes(event.sessionId);
  // The id of a call begins with that of its run, where a program may use one twice.
  return event.type === 'tool_call' && ids.some(id => event.id === id || event.id === `${event.runId}/${id}`);
}

/** How many callers and threads a thread remembers, the newest. */
const most = 50;

const schema = z.object({ callers: z.array(z.string()), threads: z.array(z.string()), depth: z.number() });

/** The programs that asked for the runs of a thread, as its metadata keep it. */
export interface StartedBy {
  /** The connections, sessions and calls that asked. */
  readonly callers: readonly string[];
  /** The threads whose runs asked, and those that asked for these. */
  readonly threads: readonly string[];
  /** How many runs are around its runs: 0 when a person, or a program that no run started, asked. */
  readonly depth: number;
}

const nobody: StartedBy = { callers: [], threads: [], depth: 0 };

/** Returns which programs asked for the runs of a thread. */
export function readStartedBy({ metadata }: Thread): StartedBy {
  return schema.safeParse(metadata['startedBy']).data ?? nobody;
}

/** Adds a caller, which works for the runs of these threads, to those that asked for the runs of a thread. */
export function addStarter(
  known: StartedBy | undefined,
  caller: { readonly ids: readonly string[]; readonly threads: readonly Thread[]; readonly runsAround: number },
): StartedBy {
  const { callers, threads, depth } = known ?? nobody;
  const parents = caller.threads.map(readStartedBy);
  const newest = (texts: readonly string[]) => [...new Set(texts)].slice(-most);
  return {
    // Who asked for a run around this one has also asked for this one.
    callers: newest([...callers, ...parents.flatMap(each => each.callers), ...caller.ids]),
    threads: newest([...threads, ...parents.flatMap(each => each.threads), ...caller.threads.map(({ id }) => id)]),
    depth: Math.max(depth, caller.runsAround, ...parents.map(each => each.depth + 1)),
  };
}
