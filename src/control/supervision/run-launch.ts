import type { Agent } from '../../agents/contract/agent.ts';
import { runMark } from '../../agents/process/process-marks.ts';
import { defined } from '../../base/defined.ts';
import { deriveTraceId, findTrace } from '../../events/trace-context.ts';
import type { RunAdditions } from '../../events/run-additions.ts';
import type { ThreadMemory } from '../threads/thread-memory.ts';
import { ActiveRun } from './active-run.ts';
import { type ActiveThread, supervisorClosed } from './active-thread.ts';
import type { MemoryJobs } from './memory-jobs.ts';
import type { OpenRun } from './open-runs.ts';
import { cancelRelays } from './resolve-relay.ts';
import type { EndNote, StartOptions } from './run-control.ts';
import { type ContextOf, findOrigin, ownSession, getRunInput } from './run-input.ts';
import type { RunObserver } from './run-observer.ts';
import type { LocalRuns } from './run-ownership.ts';
import { countRawLines, endOrphanedRun, readRunRecord } from './run-record.ts';
import type { SpendingBook } from './spending-book.ts';
import type { ResolvedOptions } from './supervisor-options.ts';

/** A run to start or resume. */
export interface RunLaunch {
  readonly threadId: string;
  readonly open: OpenRun;
  /** Without it the run is ended. */
  readonly agent?: Agent | undefined;
  readonly note?: EndNote | undefined;
  readonly isNew: boolean;
  /** The context that the caller passed for its tools. */
  readonly context?: unknown;
  /** Whether its message was sent with a request context that this process does not have. */
  readonly lacksContext?: boolean | undefined;
  /** The trace that the caller named. */
  readonly trace?: StartOptions['trace'] | undefined;
  readonly additions?: RunAdditions | undefined;
}

/** The parts that all runs of a supervisor share. */
export interface LaunchParts {
  readonly options: ResolvedOptions;
  readonly contextOf: ContextOf | undefined;
  readonly memory: ThreadMemory;
  readonly memoryJobs: MemoryJobs;
  readonly spending: SpendingBook;
  readonly observer: RunObserver;
  readonly runs: LocalRuns;
  /** No run begins after it aborted. */
  readonly signal: AbortSignal;
}

export interface LaunchedRun {
  readonly run: ActiveRun;
  /** Whether messages wait in its thread. */
  readonly hasWaiting: boolean;
}

/**
 * Starts a run, or resumes it from its log. Ends the run and returns undefined when it cannot be resumed or its abort
 * was requested.
 */
export async function launchRun(
  { options, contextOf, memory, memoryJobs, spending, observer, runs, signal }: LaunchParts,
  thread: ActiveThread,
  launch: RunLaunch,
): Promise<LaunchedRun | undefined> {
  const { log, owner, graceMs, checkOrder } = options;
  const { threadId, open, agent, note, isNew, context, lacksContext = false } = launch;
  const { runId, parentId, model } = open;
  const { state, isAborted, additions } = isNew
    ? { state: undefined, isAborted: false, additions: launch.additions }
    : await readRunRecord(log, thread, { threadId, open });
  const threadState = await memory.of(threadId, thread.seq);
  const input = getRunInput(open, threadState);
  if (state?.endedBy !== undefined) return undefined;
  const isLost = state !== undefined && agent?.abilities?.resumable !== true;
  if (input === undefined || isAborted || agent === undefined || isLost) {
    const reason = isAborted ? 'aborted' : 'interrupted';
    await endOrphanedRun(thread, open, { state, reason, isExternal: agent?.abilities?.isExternal });
    if (note !== undefined) await thread.append([], { metadata: note() });
    return undefined;
  }
  const { session: last, ...given } = input.conversation;
  const session =
    last && (await ownSession(log, threadId, { session: last, seq: threadState.sessions.getSeq(last.id) }));
  if (!isNew) {
    await thread.append([], { resumes: runId });
    const { lostRequests } = agent.abilities ?? {};
    if (lostRequests !== undefined) await cancelRelays(thread, runId, lostRequests);
  }
  const { conversation } = threadState;
  const { origin, ...late } = await findOrigin(log, contextOf, { threadId, run: open, conversation, context });
  const rawBefore = state && (await countRawLines(log, threadId, state));
  const named = launch.trace && { traceId: deriveTraceId(runId), ...launch.trace };
  // `close` and the loss of a thread detach the runs that exist: none may begin after it.
  if (signal.aborted) throw supervisorClosed();
  thread.checkServed();
  const run = new ActiveRun({
    thread,
    threadId,
    agent,
    graceMs,
    checkOrder,
    note,
    lacksContext,
    trace: isNew ? named : findTrace(state?.events ?? []),
    observer,
    contexts: threadState.contexts.copy(),
    ...late,
    params: {
      run: { ...origin, ...input.run, runId, parentId, ...defined({ model, additions, resume: state }) },
      conversation: { ...given, ...defined({ session }) },
      host: {
        runMark: runMark(owner, threadId, runId),
        memoryHost: memoryJobs.host({ threadId, runId, parentId, messages: given.messages, threadState }),
        spending: spending.open(threadId, runId, state),
        raw: line => thread.appendRaw(runId, line),
        ...defined({ rawBefore }),
      },
    },
  });
  runs.active.set(runId, run);
  thread.runs.add(run);
  observer.telemetry?.follow(run, Math.max(run.seq, threadState.seq));
  return { run, hasWaiting: threadState.queue.length > 0 };
}
