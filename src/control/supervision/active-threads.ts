import { errorText } from '../../base/error-text.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { ActiveRun } from './active-run.ts';
import { ActiveThread, type ActiveThreadOptions } from './active-thread.ts';
import { OutageReports } from './store-outage.ts';

export interface ActiveThreadsOptions extends Pick<ActiveThreadOptions, 'log' | 'owner' | 'leaseMs' | 'clock'> {
  /** Writes a line for the person who runs the process. */
  readonly report: (line: string) => void;
  readonly runsIn: (threadId: string) => readonly ActiveRun[];
  readonly isClosed: () => boolean;
  /** Called when the waiting messages of a thread changed. */
  readonly onQueue: (threadId: string) => void;
}

/** The error for a run that would begin after `close`. */
export function supervisorClosed(): SingletreeError {
  return new SingletreeError('log_closed', 'The supervisor is closed. Create a new one.');
}

/** Whether a thread was lost because another process owns it now, it was deleted, or the log was closed. */
function isExpectedLoss(reason: unknown): boolean {
  return (['lease_lost', 'thread_not_found', 'log_closed'] as const).some(code => SingletreeError.is(reason, code));
}

/** The threads with active runs of this process: each is opened once, and closed after its last run. */
export class ActiveThreads {
  readonly #options: ActiveThreadsOptions;
  readonly #threads = new Map<string, Promise<ActiveThread>>();
  readonly #outages: OutageReports;

  constructor(options: ActiveThreadsOptions) {
    const { report, runsIn } = options;
    this.#options = options;
    this.#outages = new OutageReports({
      report,
      mark: (threadId, event) => {
        for (const run of runsIn(threadId)) run.mark(event(run.runId));
      },
    });
  }

  has(threadId: string): boolean {
    return this.#threads.has(threadId);
  }

  /** Resolves when everything that runs of this process wrote to a thread is in the log. */
  async flush(threadId: string): Promise<void> {
    const thread = await this.#threads.get(threadId);
    await thread?.writer.flush();
  }

  /** Enters a thread, which is opened when it is not active; rejects when another process owns it. */
  async acquire(threadId: string): Promise<ActiveThread> {
    const { log, owner, leaseMs, clock, report, runsIn, isClosed } = this.#options;
    if (isClosed()) throw supervisorClosed();
    let opening = this.#threads.get(threadId);
    if (opening === undefined) {
      opening = ActiveThread.open({
        log,
        threadId,
        owner,
        leaseMs,
        clock,
        onLost: reason => {
          if (!isExpectedLoss(reason))
            report(`The runs of the thread "${threadId}" are detached: ${errorText(reason)}`);
          for (const run of runsIn(threadId)) run.detach();
        },
        onAbort: runId => {
          const run = runsIn(threadId).find(each => each.runId === runId);
          if (run !== undefined) return run.abort();
          for (const each of runsIn(threadId)) each.stopChild(runId);
        },
        onQueue: () => this.#options.onQueue(threadId),
        onOutage: error => this.#outages.begin(threadId, error),
        onOutageEnd: (error, ms) => this.#outages.end(threadId, error, ms),
      });
      this.#threads.set(threadId, opening);
      opening.catch(() => this.#threads.delete(threadId));
    }
    const thread = await opening;
    thread.checkServed();
    thread.enter();
    return thread;
  }

  /** Leaves a thread; the last one closes it. */
  async release(threadId: string, thread: ActiveThread): Promise<void> {
    if (!thread.exit()) return;
    this.#threads.delete(threadId);
    await thread.close();
    this.#outages.close(threadId);
  }
}
