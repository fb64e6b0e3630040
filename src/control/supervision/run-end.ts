import type { EventLog } from '../../log/index.ts';
import type { Clock } from './clock.ts';

export interface RunEndOptions {
  readonly threadId: string;
  readonly runId: string;
  /** The run had not ended with this event. */
  readonly after: number;
  readonly clock: Clock;
  /** How long to wait, in milliseconds. */
  readonly ms: number;
  readonly signal: AbortSignal;
}

/** Waits for the end of a run, in whatever process; returns false when it has not ended by then. */
export async function runEnds(log: EventLog, options: RunEndOptions): Promise<boolean> {
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
