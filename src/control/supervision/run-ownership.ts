import type { ActiveRun } from './active-run.ts';
import { errorText } from '../../base/error-text.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { allThreads } from '../../log/all-threads.ts';
import type { EventLog } from '../../log/event-log.ts';
import type { Clock } from '../../agents/clock.ts';
import { ownerCheckMs, renewalMs } from './leases.ts';
import { hasEndedOwner, type OpenRun, listOpenRuns, threadOfOpenRun } from './open-runs.ts';
import type { AbortOptions, EndNote, RunHandle, RunsInThread } from './run-control.ts';

/**
 * The handle of a run that was taken over, `elsewhere` when another live process owns it, undefined when it has ended.
 */
export type TakeoverResult = RunHandle | 'elsewhere' | undefined;

/** The runs of this process. */
export class LocalRuns {
  readonly active = new Map<string, ActiveRun>();
  /** Those that are in the log as open and start here. */
  readonly starting = new Set<string>();

  isOurs(runId: string): boolean {
    return this.active.has(runId) || this.starting.has(runId);
  }

  /** Returns the active runs of a thread. */
  listIn(threadId: string): readonly ActiveRun[] {
    return [...this.active.values()].filter(run => run.threadId === threadId);
  }
}

export interface RunOwnershipOptions {
  readonly log: EventLog;
  readonly clock: Clock;
  /** How long an owner may be silent, in milliseconds. */
  readonly leaseMs: number;
  /** Takes over only runs of this resource; all runs by default. */
  readonly resourceId: string | undefined;
  /** Ends all checks and waits. */
  readonly signal: AbortSignal;
  readonly runs: LocalRuns;
  /** Writes a line for the person who runs the process. */
  readonly report: (line: string) => void;
  /** Resumes or ends a run, if the lease of its thread is free. */
  readonly takeOver: (threadId: string, open: OpenRun, note: EndNote | undefined) => Promise<TakeoverResult>;
}

/**
 * Decides who owns an open run: the live process that holds the lease of its thread. A run without an owner is taken
 * over: resumed or ended.
 */
export class RunOwnership {
  readonly #options: RunOwnershipOptions;
  readonly #takingOver = new Map<string, Promise<TakeoverResult>>();
  /** The failures that were reported and last, each by its run; those of the search by an empty text. */
  readonly #failures = new Map<string, string>();
  #cancelCheck: (() => void) | undefined;
  /** When leases were tried last. */
  #triedAt = 0;

  constructor(options: RunOwnershipOptions) {
    this.#options = options;
    options.signal.addEventListener('abort', () => this.#cancelCheck?.(), { once: true });
  }

  /** Takes over the runs of a thread that no live process owns; returns the active runs of the thread. */
  async takeOver(threadId: string): Promise<RunsInThread> {
    const elsewhere: string[] = [];
    for (const open of await this.#notOurs(threadId))
      if ((await this.takeOverRun(threadId, open)) === 'elsewhere') elsewhere.push(open.runId);
    return { here: this.#options.runs.listIn(threadId), elsewhere };
  }

  /**
   * Takes over all runs that no live process owns, now and whenever an owner ends. Reports and retries a run that
   * cannot be taken over; rejects when the log cannot be searched.
   */
  watch(): Promise<readonly RunHandle[]> {
    this.#triedAt = this.#options.clock.now();
    return this.#check(() => true);
  }

  /** Takes over runs of which an owner may be gone, and checks again later. */
  async #check(mayBeGone: (open: OpenRun) => boolean): Promise<readonly RunHandle[]> {
    const { log, resourceId, signal, runs } = this.#options;
    const handles: RunHandle[] = [];
    try {
      for await (const thread of allThreads(log, { open: 'run', resourceId }))
        for (const open of listOpenRuns(thread)) {
          if (signal.aborted || runs.isOurs(open.runId) || !mayBeGone(open)) continue;
          const handle = await this.takeOverRun(thread.id, open).catch((error: unknown) =>
            this.#report(open.runId, `The run "${open.runId}" cannot be resumed, and is tried again`, error),
          );
          if (handle !== undefined && handle !== 'elsewhere') handles.push(handle);
        }
      this.#failures.delete('');
      return handles;
    } finally {
      this.#cancelCheck?.();
      if (!signal.aborted) this.#checkLater();
    }
  }

  /** Reports a failure once, as long as it stays the same. */
  #report(key: string, what: string, error: unknown): void {
    const line = `${what}: ${errorText(error)}`;
    if (this.#options.signal.aborted || this.#failures.get(key) === line) return;
    this.#failures.set(key, line);
    this.#options.report(line);
  }

  /** Detects ended processes of this machine at once, and other owners when their lease has expired. */
  #checkLater(): void {
    const { clock, leaseMs } = this.#options;
    const untilTry = this.#triedAt + renewalMs(leaseMs) - clock.now();
    const check = () => (untilTry <= ownerCheckMs ? this.watch() : this.#check(hasEndedOwner));
    const failed = (error: unknown) => this.#report('', 'Interrupted runs cannot be searched now', error);
    this.#cancelCheck = clock.after(Math.min(ownerCheckMs, Math.max(untilTry, 0)), () => void check().catch(failed));
  }

  /** Resolves when no run of a thread is active, in any process. */
  async idle(threadId: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && !this.#options.signal.aborted) {
      const after = (await this.#options.log.getThread(threadId))?.seq ?? 0;
      const { here, elsewhere } = await this.takeOver(threadId);
      if (here.length === 0 && elsewhere.length === 0) return;
      await Promise.all(here.map(run => run.done));
      for (const runId of elsewhere) await this.#waitForEnd(threadId, { runId, after, signal });
    }
  }

  /** Requests the owner of a run to abort it, and ends it here when it has no live owner; throws `run_not_found`. */
  async abort(request: AgentEvent, { threadId, note }: Pick<AbortOptions, 'threadId' | 'note'>): Promise<void> {
    const { log, signal } = this.#options;
    const { runId } = request;
    const thread = await (threadId === undefined ? threadOfOpenRun(log, runId) : log.getThread(threadId));
    const open = thread && listOpenRuns(thread).find(run => run.runId === runId);
    if (thread === undefined || open === undefined) throw runNotFound(runId);
    const { firstSeq: after } = await log.append(thread.id, [request]);
    while (!signal.aborted) {
      const handle = await this.takeOverRun(thread.id, open, note);
      if (handle === undefined) return;
      // A run that was started or resumed here in the meantime received the request.
      if (handle !== 'elsewhere') return void (await handle.done);
      if (await this.#waitForEnd(thread.id, { runId, after, signal })) return;
    }
  }

  /** The open runs of a thread that this process neither runs nor takes over. */
  async orphansIn(threadId: string): Promise<readonly OpenRun[]> {
    return (await this.#notOurs(threadId)).filter(({ runId }) => !this.#takingOver.has(runId));
  }

  /** Returns the open runs of a thread that this process does not run, including those that are being taken over. */
  async #notOurs(threadId: string): Promise<readonly OpenRun[]> {
    const thread = await this.#options.log.getThread(threadId);
    const open = thread === undefined ? [] : listOpenRuns(thread);
    return open.filter(({ runId }) => !this.#options.runs.isOurs(runId));
  }

  /** Takes over one run; concurrent calls share the result. */
  takeOverRun(threadId: string, open: OpenRun, note?: EndNote): Promise<TakeoverResult> {
    const { runId } = open;
    const running = this.#options.runs.active.get(runId);
    const before = running === undefined ? this.#takingOver.get(runId) : Promise.resolve(running);
    if (before !== undefined) return before;
    const taking = this.#options.takeOver(threadId, open, note).finally(() => this.#takingOver.delete(runId));
    this.#takingOver.set(runId, taking);
    return taking;
  }

  /** Waits until a run of another process ends, or until it is time to check its owner again. */
  #waitForEnd(
    threadId: string,
    { runId, after, signal }: { readonly runId: string; readonly after: number; readonly signal: AbortSignal },
  ): Promise<boolean> {
    const { log, clock, leaseMs } = this.#options;
    return waitForRunEnd(log, {
      threadId,
      runId,
      after,
      clock,
      ms: Math.min(ownerCheckMs, renewalMs(leaseMs)),
      signal,
    });
  }
}

export function runNotFound(runId: string): SingletreeError {
  return new SingletreeError('run_not_found', `No run "${runId}" is active.`, { details: { runId } });
}

export interface RunEndOptions {
  readonly threadId: string;
  readonly runId: string;
  /** The run had not ended at this event. */
  readonly after: number;
  readonly clock: Clock;
  /** How long to wait, in milliseconds. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Waits for the end of a run in any process; returns false on timeout. */
export async function waitForRunEnd(log: EventLog, options: RunEndOptions): Promise<boolean> {
  const { threadId, runId, after, clock, ms, signal } = options;
  const timeout = new AbortController();
  const cancel = clock.after(ms, () => timeout.abort());
  try {
    const tail = log.tail(threadId, after, {
      types: ['harness_end'],
      signal: AbortSignal.any([timeout.signal, signal]),
    });
    for await (const event of tail) if (event.runId === runId) return true;
    return false;
  } finally {
    cancel();
  }
}

/** The error for a run that would be a second one of its thread. */
export function runUnderWay(threadId: string, runId: string | undefined): SingletreeError {
  return new SingletreeError('run_under_way', 'A run is active in this thread. Abort it or wait until it ends.', {
    details: { threadId, runId },
  });
}
