import { type AgentEvent, SingletreeError } from '../events/index.ts';
import { type EventLog, readEvents } from '../log/index.ts';

/** A request of a thread: a run that no other run started. */
export interface Request {
  readonly runId: string;
  /** The seq of its first event. */
  readonly startSeq: number;
  /** The seq of its last event; absent while it is open. */
  readonly endSeq?: number;
}

/** Finds the requests in the events of a thread. */
class Requests {
  readonly #runs = new Set<string>();
  readonly #requests = new Map<string, Request>();

  take(event: AgentEvent & { readonly seq: number }): void {
    const { runId, seq } = event;
    if (event.type === 'harness_start' && !this.#runs.has(runId)) {
      if (!this.#isOfKnownRun(event.parentId)) this.#requests.set(runId, { runId, startSeq: seq });
      this.#runs.add(runId);
    }
    if (event.type !== 'harness_end') return;
    const request = this.#requests.get(runId);
    if (request !== undefined) this.#requests.set(runId, { ...request, endSeq: seq });
  }

  /** Oldest first. */
  all(): Request[] {
    return [...this.#requests.values()];
  }

  /** Whether an id is that of a run or of something in one, whose id begins with the run's. */
  #isOfKnownRun(id: string | undefined): boolean {
    for (let end = id?.length ?? 0; id !== undefined && end > 0; end = id.lastIndexOf('/', end - 1))
      if (this.#runs.has(id.slice(0, end))) return true;
    return false;
  }
}

/** Returns the requests of a thread, oldest first. */
export async function readRequests(log: EventLog, threadId: string): Promise<Request[]> {
  const requests = new Requests();
  for await (const event of readEvents(log, threadId)) requests.take(event);
  return requests.all();
}

/**
 * Returns the request a reader means: the one it names; else, when it resumes after a seq, the one it was reading then;
 * else the newest. Undefined when there is none yet.
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
