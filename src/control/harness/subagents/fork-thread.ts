import { endOpenRuns } from '../../../agents/subagents/child-run.ts';
import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { allThreads } from '../../../log/all-threads.ts';
import type { EventLog, Thread } from '../../../log/event-log.ts';
import type { RunState } from '../../../projections/run-state.ts';
import { listOpenRuns } from '../../supervision/open-runs.ts';
import { readRun } from '../../supervision/run-record.ts';
import { copiedMetadata } from '../threads/harness-thread.ts';

/** The call that starts a fork. */
export interface ForkOrigin {
  readonly threadId: string;
  readonly runId: string;
  readonly toolCallId: string;
}

const isHere = 'You are the forked subagent of this call now. Your task is the next message. Answer with its result.';
const isElsewhere =
  'This call continues in the conversation that this fork was made from; its result is not known here.';

/** Returns the thread; throws `thread_not_found` when a fork has nothing to start from. */
async function parentThread(log: EventLog, { threadId }: ForkOrigin): Promise<Thread> {
  const thread = await log.getThread(threadId);
  if (thread !== undefined) return thread;
  throw new SingletreeError(
    'thread_not_found',
    `A forked subagent needs the thread of its parent, and "${threadId}" does not exist. Call it with forked: false.`,
    { details: { threadId } },
  );
}

/** Yields the forks of a thread. */
async function* listForks(log: EventLog, { id, resourceId }: Thread): AsyncGenerator<Thread> {
  for await (const thread of allThreads(log, { resourceId }))
    if (thread.metadata['forkedSubagent'] === true && thread.metadata['parentThreadId'] === id) yield thread;
}

/** Deletes the forks of a thread, which cannot be found without it. */
export async function deleteForks(log: EventLog, thread: Thread): Promise<void> {
  const forks: Thread[] = [];
  for await (const fork of listForks(log, thread)) forks.push(fork);
  for (const { id } of forks) await log.deleteThread(id);
}

/** Returns the fork that a call made before its process ended, if it did. */
export async function findFork(log: EventLog, origin: ForkOrigin): Promise<Thread | undefined> {
  for await (const fork of listForks(log, await parentThread(log, origin)))
    if (fork.metadata['parentToolCallId'] === origin.toolCallId) return fork;
  return undefined;
}

/** Branches the thread of a call, in constant time. The parent's thread is not changed. */
export async function createFork(
  log: EventLog,
  origin: ForkOrigin,
  fork: { readonly id: string; readonly title: string },
): Promise<Thread> {
  const { id, resourceId, seq, metadata } = await parentThread(log, origin);
  const tags = { forkedSubagent: true, parentThreadId: id, parentToolCallId: origin.toolCallId };
  return log.branch(id, seq, { ...fork, resourceId, metadata: { ...copiedMetadata(metadata), ...tags } });
}

/**
 * Ends the runs of the parent in a new fork: they continue only in the parent's thread. Their open calls get a result,
 * so that the fork's model knows their outcome.
 */
export async function endParentRuns(log: EventLog, fork: Thread, origin: ForkOrigin): Promise<void> {
  const parent = await log.getThread(origin.threadId);
  const others = parent === undefined ? [] : listOpenRuns(parent).map(({ runId }) => runId);
  const events: AgentEvent[] = [];
  for (const runId of new Set([origin.runId, ...others])) {
    const state = await readRun(log, { threadId: fork.id, runId });
    if (state === undefined || state.endedBy !== undefined) continue;
    events.push(...openCallResults(state, origin));
    await endOpenRuns(state, async event => void events.push(event));
  }
  if (events.length > 0) await log.append(fork.id, events);
}

function openCallResults({ runId, calls }: RunState, { toolCallId }: ForkOrigin): EventOf<'tool_result'>[] {
  return [...calls.values()].flatMap(({ call: { id, name }, done }) =>
    done
      ? []
      : [{ type: 'tool_result', runId, id, name, output: { context: id === toolCallId ? isHere : isElsewhere } }],
  );
}
