import { AsyncLocalStorage } from 'node:async_hooks';
import { SingletreeError } from '../../base/singletree-error.ts';
import { backgroundClock, type Clock, systemClock } from '../../agents/clock.ts';

/** The maximum wait for an active beat. */
const graceMs = 5_000;

/** Periodic work while the harness exists. */
export interface HeartbeatHandler {
  readonly id: string;
  readonly intervalMs: number;
  readonly handler: () => void | Promise<void>;
  /** Whether the first beat occurs at once; true by default. */
  readonly immediate?: boolean;
  /** Called once on removal. */
  readonly shutdown?: () => void | Promise<void>;
}

interface ActiveHeartbeat {
  readonly handler: HeartbeatHandler;
  stopTimer: () => void;
  /** The active beat; resolves when it has ended. */
  beat: Promise<void> | undefined;
}

export interface HeartbeatsOptions {
  /** Receives errors of handlers and shutdowns, and timeouts. */
  readonly onError: (error: unknown, heartbeatId: string) => void;
  readonly clock?: Clock;
  /** Measures the wait for an active beat; keeps the process alive. */
  readonly endClock?: Clock;
}

/** Runs heartbeats: one beat at a time per handler; a beat that is due during another one is skipped. */
export class Heartbeats {
  readonly #onError: HeartbeatsOptions['onError'];
  readonly #clock: Clock;
  readonly #endClock: Clock;
  readonly #beating = new Map<string, ActiveHeartbeat>();
  /** The beat that the current code belongs to. */
  readonly #within = new AsyncLocalStorage<Promise<void>>();
  #underWay = 0;
  #isClosed = false;

  constructor({ onError, clock = backgroundClock, endClock = systemClock }: HeartbeatsOptions) {
    this.#onError = onError;
    this.#clock = clock;
    this.#endClock = endClock;
  }

  /** Starts the handlers with new ids; does nothing after `close`. */
  start(handlers: readonly HeartbeatHandler[]): void {
    if (this.#isClosed) return;
    for (const handler of handlers) if (!this.#beating.has(handler.id)) this.#begin(handler);
  }

  /** Replaces the heartbeat with the same id and shuts the previous one down; throws `log_closed` after `close`. */
  register(handler: HeartbeatHandler): void {
    if (this.#isClosed)
      throw new SingletreeError(
        'log_closed',
        `The heartbeat "${handler.id}" cannot start: its harness was destroyed. Create a new harness.`,
      );
    void this.remove(handler.id);
    this.#begin(handler);
  }

  /**
   * Stops one heartbeat; resolves when its beat and its shutdown have ended, or after the maximum wait; never rejects.
   * Called from its own beat it resolves at once.
   */
  remove(id: string): Promise<void> {
    const beating = this.#beating.get(id);
    if (beating === undefined) return Promise.resolve();
    this.#beating.delete(id);
    beating.stopTimer();
    const ended = this.#end(beating);
    if (beating.beat !== undefined && beating.beat === this.#within.getStore()) return Promise.resolve();
    return new Promise(resolve => {
      const stopTimer = this.#endClock.after(graceMs, () => {
        this.#onError(heartbeatTimeout(id), id);
        resolve();
      });
      void ended.then(() => {
        stopTimer();
        resolve();
      });
    });
  }

  /** Stops all heartbeats. */
  async stop(): Promise<void> {
    await Promise.all([...this.#beating.keys()].map(id => this.remove(id)));
  }

  /** Stops all heartbeats permanently. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.stop();
  }

  async #end({ beat, handler }: ActiveHeartbeat): Promise<void> {
    await beat;
    await this.#safely(handler.id, async () => handler.shutdown?.());
  }

  #begin(handler: HeartbeatHandler): void {
    const beating: ActiveHeartbeat = { handler, stopTimer: () => {}, beat: undefined };
    this.#beating.set(handler.id, beating);
    this.#wait(beating);
    if (handler.immediate ?? true) this.#beat(beating);
  }

  #wait(beating: ActiveHeartbeat): void {
    beating.stopTimer = this.#clock.after(beating.handler.intervalMs, () => {
      this.#wait(beating);
      this.#beat(beating);
    });
  }

  #beat(beating: ActiveHeartbeat): void {
    if (beating.beat !== undefined) return;
    let end = () => {};
    const beat = new Promise<void>(resolve => {
      end = resolve;
    });
    beating.beat = beat;
    this.#underWay++;
    const { handler } = beating;
    void this.#within.run(beat, () =>
      this.#safely(handler.id, async () => handler.handler()).finally(() => {
        beating.beat = undefined;
        end();
        // An active AsyncLocalStorage slows down every promise of the process.
        if (--this.#underWay === 0) this.#within.disable();
      }),
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

function heartbeatTimeout(id: string): SingletreeError {
  return new SingletreeError(
    'internal',
    `The heartbeat "${id}" did not end within ${graceMs} ms after it was stopped. Make sure that its handler and its shutdown end.`,
    { details: { heartbeatId: id } },
  );
}
