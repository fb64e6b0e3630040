import { ThreadFolds } from '../control/threads/thread-folds.ts';
import { defined } from '../base/defined.ts';
import { SingletreeError } from '../base/singletree-error.ts';
import { GrowingMap } from '../graph/versioned/growing-map.ts';
import type { EventLog, Thread } from '../log/event-log.ts';
import type { Fold } from '../projections/fold.ts';

/** A request of a thread: a run that no other run started. */
export interface Request {
  readonly runId: string;
  /** The seq of its first event. */
  readonly startSeq: number;
  /** The seq of its last event; absent while it is open. */
  readonly endSeq?: number;
}

interface RequestsState {
  /** Every run of the thread. */
  readonly runs: GrowingMap<string, true>;
  readonly requests: GrowingMap<string, Request>;
  readonly ends: GrowingMap<string, number>;
}

/** The requests of a thread, oldest first, as a fold. */
const requestsFold: Fold<RequestsState, Request[]> = {
  get initial() {
    return {
      runs: GrowingMap.of<string, true>([]),
      requests: GrowingMap.of<string, Request>([]),
      ends: GrowingMap.of<string, number>([]),
    };
  },
  step: (state, event) => {
    const { runs, requests, ends } = state;
    const { runId, seq = 0 } = event;
    if (event.type === 'harness_start' && !runs.get(runId)) {
      const isRequest = !isOfKnownRun(runs, event.parentId);
      return {
        ...state,
        runs: runs.with(runId, true),
        ...(isRequest && { requests: requests.with(runId, { runId, startSeq: seq }) }),
      };
    }
    const isEnd = event.type === 'harness_end' && requests.get(runId) !== undefined && ends.get(runId) === undefined;
    return isEnd ? { ...state, ends: ends.with(runId, seq) } : state;
  },
  view: ({ requests, ends }) =>
    Array.from(requests.values(), request => ({ ...request, ...defined({ endSeq: ends.get(request.runId) }) })),
};

/** Whether an id is that of a run or of something in one, whose id begins with the run's. */
function isOfKnownRun(runs: GrowingMap<string, true>, id: string | undefined): boolean {
  for (let end = id?.length ?? 0; id !== undefined && end > 0; end = id.lastIndexOf('/', end - 1))
    if (runs.get(id.slice(0, end))) return true;
  return false;
}

const cached = new WeakMap<EventLog, ThreadFolds<RequestsState, Request[]>>();

/** Returns the requests of a thread, oldest first; those of a thread that was read before cost only its new events. */
export function readRequests(log: EventLog, thread: Pick<Thread, 'id' | 'createdAt' | 'seq'>): Promise<Request[]> {
  const folds = cached.get(log) ?? new ThreadFolds(log, requestsFold, { most: 200 });
  cached.set(log, folds);
  return folds.of(thread);
}

/**
 * Returns the request a reader means: the named one; else, when it resumes after a seq, the one it was reading then;
 * else the newest. Undefined without requests.
 */
export function pickRequest(
  requests: readonly Request[],
  { runId, after }: { runId?: string | undefined; after: number },
): Request | undefined {
  if (runId === undefined) {
    if (after === 0) return requests.at(-1);
    return requests.findLast(({ startSeq }) => startSeq <= after) ?? requests[0];
  }
  const named = requests.find(request => request.runId === runId);
  if (named !== undefined) return named;
  throw new SingletreeError('run_not_found', `The thread has no request with the run "${runId}".`, {
    details: { runId },
  });
}

/** Where the events of a request begin. */
export interface RequestPlace {
  readonly runId: string;
  /** All its events have a higher seq. */
  readonly after: number;
}

/**
 * Returns the request of a run that a person asked for: the named one, else the newest of the thread. A named run may
 * have no events yet. Throws `run_not_found` when the thread has none.
 */
export async function findRequest(log: EventLog, thread: Thread, named?: string): Promise<RequestPlace> {
  const { id, seq } = thread;
  const requests = await readRequests(log, thread);
  const found = named === undefined ? requests.at(-1) : requests.find(({ runId }) => runId === named);
  if (found !== undefined) return { runId: found.runId, after: found.startSeq - 1 };
  if (named !== undefined) return { runId: named, after: seq };
  throw new SingletreeError('run_not_found', `Nothing was asked in the thread "${id}" yet: nothing to watch.`, {
    details: { threadId: id },
  });
}
