import { SingletreeError } from '../../events/index.ts';
import { backgroundClock, type Clock } from '../clock.ts';

/** How long the end of a harness waits for heartbeats that are under way. */
const graceMs = 5_000;

/** Work that is done again and again while the harness lives. */
export interface HeartbeatHandler {
  readonly id: string;
  readonly intervalMs: number;
  readonly handler: () => void | Promise<void>;
  /** Whether it is done at once for the first time; true when absent. */
  readonly immediate?: boolean;
  /** Called once when it is removed. */
  readonly shutdown?: () => void | Promise<void>;
}

interface Beating {
  readonly handler: HeartbeatHandler;
  stopTimer: () => void;
  /** The beat that is under way. */
  beat: Promise<void> | undefined;
}

export interface HeartbeatsOptions {
  /** Told what a handler or a shutdown threw. */
  readonly onError: (error: unknown, heartbeatId: string) => void;
  readonly clock?: Clock;
}

/** Runs heartbeats: one beat at a time for each handler; a beat that is due while one is under way is left out. */
export class Heartbeats {
  readonly #onError: HeartbeatsOptions['onError'];
  readonly #clock: Clock;
  readonly #beating = new Map<string, Beating>();
  #isClosed = false;

  constructor({ onError, clock = backgroundClock }: HeartbeatsOptions) {
    this.#onError = onError;
    this.#clock = clock;
  }

  /** Starts those that are not there yet; none when all have ended for good. */
  start(handlers: readonly HeartbeatHandler[]): void {
    if (this.#isClosed) return;
    for (const handler of handlers) if (!this.#beating.has(handler.id)) this.#begin(handler);
  }

  /** Starts one in the place of the one with its id, which is shut down; throws `log_closed` when all have ended for good. */
  register(handler: HeartbeatHandler): void {
    if (this.#isClosed)
      throw new SingletreeError(
        'log_closed',
        `The heartbeat "${handler.id}" cannot begin: its harness was destroyed. Make a new one.`,
      );
    void this.remove(handler.id);
    this.#begin(handler);
  }

  /** Stops one; resolves when its beat and its shutdown are over, and never rejects. */
  async remove(id: string): Promise<void> {
    const beating = this.#beating.get(id);
    if (beating === undefined) return;
    this.#beating.delete(id);
    beating.stopTimer();
    await beating.beat;
    await this.#safely(id, async () => beating.handler.shutdown?.());
  }

  /** Stops all. */
  async stop(): Promise<void> {
    await Promise.all([...this.#beating.keys()].map(id => this.remove(id)));
  }

  /** Stops all for good. Resolves when they are over, at the latest after a while, with what is to be said of those that are not. */
  async close({ clock }: { readonly clock: Clock }): Promise<readonly SingletreeError[]> {
    this.#isClosed = true;
    const open = new Set(this.#beating.keys());
    const all = Promise.all([...open].map(id => this.remove(id).then(() => open.delete(id))));
    if (open.size > 0)
      await new Promise<void>(resolve => {
        const stopTimer = clock.after(graceMs, resolve);
        void all.finally(stopTimer).then(() => resolve());
      });
    return [...open].map(stillBeats);
  }

  #begin(handler: HeartbeatHandler): void {
    const beating: Beating = { handler, stopTimer: () => {}, beat: undefined };
    this.#beating.set(handler.id, beating);
    this.#wait(beating);
    if (handler.immediate ?? true) this.#beat(beating);
  }

  #wait(beating: Beating): void {
    beating.stopTimer = this.#clock.after(beating.handler.intervalMs, () => {
      this.#wait(beating);
      this.#beat(beating);
    });
  }

  #beat(beating: Beating): void {
    beating.beat ??= this.#safely(beating.handler.id, async () => beating.handler.handler()).finally(
      () => void (beating.beat = undefined),
    );
  }

  async #safely(id: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#onError(error, id);
    }
  }
}

function stillBeats(id: string): SingletreeError {
  return new SingletreeError(
    'internal',
    `The heartbeat "${id}" was not over ${graceMs} ms after the harness was destroyed, and is left to itself: let its handler and its shutdown end.`,
    { details: { heartbeatId: id } },
  );
}
