import { defined } from '../base/defined.ts';
import type { LoggedEvent } from '../events/vocabulary.ts';
import type { OnDiagnostic } from '../base/diagnostics.ts';
import type { RunHandle } from '../control/supervision/run-control.ts';
import type { EventLog } from '../log/event-log.ts';
import { readEvents } from '../log/read-events.ts';
import { SpanFold } from '../protocols/otel/span-fold.ts';
import type { Span } from '../protocols/otel/span.ts';

export interface FollowedThreadOptions {
  readonly log: EventLog;
  readonly threadId: string;
  readonly content: boolean;
  /** Receives each span of the followed runs once. */
  readonly onSpan: (span: Span) => void;
  readonly onDiagnostic: OnDiagnostic;
}

/** The part of a run's handle that following it needs. */
type FollowedRun = Pick<RunHandle, 'runId' | 'seq' | 'done'>;

/** How many runs of a thread are remembered after they ended. */
const mostRuns = 100;

/** A thread whose runs in this process are followed: its log is read while one is active. */
export class FollowedThread {
  readonly #options: FollowedThreadOptions;
  readonly #active = new Set<FollowedRun>();
  /** The followed runs, each with its first event; ended runs stay, since a run that serves them may end later. */
  readonly #followed = new Map<string, number>();
  #fold: SpanFold | undefined;
  #tail = new AbortController();
  #reading: Promise<void> | undefined;
  /** The newest event of the runs that were followed. */
  #until = 0;

  constructor(options: FollowedThreadOptions) {
    this.#options = options;
  }

  get isActive(): boolean {
    return this.#reading !== undefined;
  }

  follow(run: FollowedRun, seq: number): void {
    this.#active.add(run);
    this.#followed.set(run.runId, seq);
    const [oldest] = this.#followed.keys();
    if (this.#followed.size > mostRuns && oldest !== undefined) this.#followed.delete(oldest);
    this.#reading ??= this.#read();
    void run.done.then(() => {
      this.#active.delete(run);
      this.#until = Math.max(this.#until, run.seq);
      if (this.#isDone) this.#tail.abort();
    });
  }

  /** Stops following and reads the remaining events of the log. */
  async close(): Promise<void> {
    this.#active.clear();
    this.#until = 0;
    this.#tail.abort();
    await this.#reading;
    await this.#catching(async fold => {
      for await (const event of readEvents(this.#options.log, this.#options.threadId, fold.seq))
        this.#take(fold, event);
    });
  }

  get #isDone(): boolean {
    return this.#active.size === 0 && (this.#fold?.seq ?? 0) >= this.#until;
  }

  async #read(): Promise<void> {
    const { log, threadId } = this.#options;
    await this.#catching(async fold => {
      while (!this.#isDone) {
        this.#tail = new AbortController();
        for await (const event of log.tail(threadId, fold.seq, { signal: this.#tail.signal })) {
          this.#take(fold, event);
          if (this.#isDone) break;
        }
        // The log was closed.
        if (!this.#tail.signal.aborted && !this.#isDone) break;
      }
      // At once: a run that is followed next starts the reading again.
      this.#reading = undefined;
    });
  }

  async #catching(read: (fold: SpanFold) => Promise<void>): Promise<void> {
    const { log, threadId, content, onDiagnostic } = this.#options;
    try {
      if (this.#fold === undefined) {
        const sharedSeq = (await log.getThread(threadId))?.branchedFrom?.seq;
        this.#fold = new SpanFold({ threadId, content, ...defined({ sharedSeq }) });
      }
      await read(this.#fold);
    } catch (cause) {
      this.#reading = undefined;
      onDiagnostic({ code: 'telemetry_interrupted', threadId, cause });
    }
  }

  #take(fold: SpanFold, event: LoggedEvent): void {
    for (const span of fold.take(event))
      if (event.seq > (this.#followed.get(span.rootRunId) ?? Number.POSITIVE_INFINITY)) this.#options.onSpan(span);
  }
}
