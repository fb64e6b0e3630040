import { endOrphanedProcesses } from '../../agents/process/orphaned-processes.ts';
import { runMark } from '../../agents/process/process-marks.ts';
import { endOpenRuns } from '../../agents/subagents/child-run.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { RunFamily, type RunState } from '../../projections/run-state.ts';
import type { ActiveThread } from './active-thread.ts';
import { LostCalls } from './lost-calls.ts';
import type { OpenRun } from './open-runs.ts';
import { cancelRelays } from './resolve-relay.ts';

/** The log's record of a run when it is launched. */
export interface RunRecord {
  /** The state it resumes from, with the runs it started; undefined for a run without events. */
  readonly state: RunState | undefined;
  /** Whether its abort was requested. */
  readonly isAborted: boolean;
  /** The additions of the requesting client to its agent. */
  readonly additions: RunAdditions | undefined;
}

/**
 * Reads the record of an open run whose owner is gone, after the processes that it left are ended; from then on the
 * thread listens for answers.
 */
export async function readRunRecord(
  log: EventLog,
  thread: ActiveThread,
  { threadId, open: { runId, owner } }: { readonly threadId: string; readonly open: OpenRun },
): Promise<RunRecord> {
  await endOrphanedProcesses(runMark(owner, threadId, runId), { owner });
  await thread.startListening();
  let isAborted = false;
  let additions: RunAdditions | undefined;
  const state = await readRun(log, { threadId, runId }, event => {
    thread.take(event);
    if (event.type === 'abort_requested' && event.runId === runId) isAborted = true;
    if (event.type === 'run_requested' && event.runId === runId) ({ additions } = event);
  });
  return { state, isAborted, additions };
}

/**
 * Returns the state of an orphaned run with the runs it started; undefined without events. Imported events are
 * skipped, even if they use the same run ids.
 */
export async function readRun(
  log: EventLog,
  { threadId, runId }: { threadId: string; runId: string },
  visit: (event: LoggedEvent) => void = () => {},
): Promise<RunState | undefined> {
  const family = new RunFamily(runId);
  const { importedSeq } = (await log.getThread(threadId)) ?? {};
  for await (const event of readEvents(log, threadId, importedSeq)) {
    visit(event);
    family.take(event);
  }
  const state = family.state();
  return state.events.length > 0 ? state : undefined;
}

/** The number of raw lines that a run has; its events name the first of them, so that only the rest is read. */
export async function countRawLines(log: EventLog, threadId: string, { runId, events }: RunState): Promise<number> {
  let count = events.reduce((most, { line = 0 }) => Math.max(most, line), 0);
  for (;;) {
    const lines = await log.readRaw(threadId, runId, { after: count, limit: 1_000 });
    const last = lines.at(-1);
    if (last === undefined) return count;
    count = last.n;
  }
}

/** Ends an orphaned run and its child runs: cancels their relays, closes calls of an external agent, and logs the reason. */
export async function endOrphanedRun(
  thread: ActiveThread,
  { runId, agentId, parentId }: OpenRun,
  {
    state,
    reason,
    isExternal = false,
  }: {
    readonly state: RunState | undefined;
    readonly reason: 'aborted' | 'interrupted';
    readonly isExternal?: boolean | undefined;
  },
): Promise<void> {
  const lostCalls = isExternal ? new LostCalls(state) : undefined;
  const put = async (event: AgentEvent) => {
    if (event.type === 'harness_end') await cancelRelays(thread, event.runId);
    if (event.type === 'harness_end')
      for (const result of lostCalls?.close(event.runId, reason) ?? []) await thread.writer.write(result);
    await thread.writer.write(event);
  };
  if (state?.agentId === undefined) await put({ type: 'harness_start', runId, agentId, parentId });
  if (reason === 'interrupted') {
    const message = `The process of "${agentId}" ended, and the run cannot be resumed.`;
    await put({ type: 'warning', runId, message, code: 'interrupted' });
  }
  await endOpenRuns(state === undefined ? { runId, agentId, children: new Map() } : { ...state, agentId }, put, reason);
}
