import type { UserMessage } from '../../../agents/contract/host.ts';
import type { RunHandle } from '../../supervision/run-control.ts';
import type { RunOutcome } from '../../supervision/run-counts.ts';
import type { OpenThread } from '../threads/open-thread.ts';
import type { RequestContext } from '../tools/request-context.ts';
import type { RunTrace } from '../../../events/trace-context.ts';
import { deferred } from './messages.ts';

interface TurnState {
  /** Resolves when the messages that came while the turn started are in the log: its run reads them first. */
  readonly ready: () => Promise<void>;
  /** Returns the injected messages that no run has read. */
  readonly read: () => readonly UserMessage[];
  /** Whether a message is one of this harness: `read` returns it. */
  readonly isOwn: (messageId: string) => boolean;
  /** Whether the run ends before its next step. */
  readonly endsAtStep: () => boolean;
}

/** The runs of a turn, with their input. */
export class LiveTurn {
  /** Its runs; empty while it starts. */
  handles: readonly RunHandle[] = [];
  /** Its thread; undefined while it starts. */
  thread: OpenThread | undefined;
  /** Whether it was begun by a message or by a follow-up. */
  kind: 'message' | 'follow_up' = 'message';
  /** The requested trace of its run. */
  trace: Partial<RunTrace> | undefined;
  /** Request contexts of messages that were injected while it started. */
  readonly extraContexts: RequestContext[] = [];
  readonly state: TurnState;
  readonly #listeners = new Set<() => void>();
  readonly #over = deferred<void>();
  readonly #begun = deferred<void>();

  constructor(trace: Partial<RunTrace> | undefined, state: TurnState) {
    this.trace = trace;
    this.state = state;
  }

  /** The first of its runs. */
  get runId(): string | undefined {
    return this.handles[0]?.runId;
  }

  /** Resolves when its runs have ended: whether all of them have answered. */
  async isComplete(): Promise<boolean> {
    const outcomes = await Promise.all(this.handles.map(({ done }) => done));
    return outcomes.every(outcome => successfulOutcomes.has(outcome));
  }

  /** Calls back whenever a message is injected. Returns an unsubscribe function. */
  onInjected(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Notifies its runs that a message was injected. */
  notifyInjected(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Resolves when all its events were emitted, or it could not start. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Resolves when it has started, or could not start. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  begin(): void {
    this.#begun.resolve();
  }

  end(): void {
    this.begin();
    this.#over.resolve();
  }
}

/** A run that used all its steps has answered. */
const successfulOutcomes: ReadonlySet<RunOutcome> = new Set(['complete', 'max_iterations']);
