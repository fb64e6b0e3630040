import { AsyncLocalStorage } from 'node:async_hooks';
import { SingletreeError } from '../../events/index.ts';
import { backgroundClock, type Clock, systemClock } from '../supervision/clock.ts';

/** How long is waited for the end of a heartbeat that is under way. */
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

interface ActiveHeartbeat {
  readonly handler: HeartbeatHandler;
  stopTimer: () => void;
  /** The beat that is under way: it resolves when it is over. */
  beat: Promise<void> | undefined;
}

export interface HeartbeatsOptions {
  /** Told what a handler or a shutdown threw, and when they do not end. */
  readonly onError: (error: unknown, heartbeatId: string) => void;
  readonly clock?: Clock;
  /** By what is waited for the end of one: it keeps the process alive. */
  readonly endClock?: Clock;
}

/** Runs heartbeats: one beat at a time for each handler; a beat that is due while one is under way is left out. */
export class Heartbeats {
  readonly #onError: HeartbeatsOptions['onError'];
  readonly #clock: Clock;
  readonly #endClock: Clock;
  readonly #beating = new Map<string, ActiveHeartbeat>();
  /** The beat that what is done now belongs to. */
  readonly #within = new AsyncLocalStorage<Promise<void>>();
  #underWay = 0;
  #isClosed = false;

  constructor({ onError, clock = backgroundClock, endClock = systemClock }: HeartbeatsOptions) {
    this.#onError = onError;
    this.#clock = clock;
    this.#endClock = endClock;
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

  /**
   * Stops one; resolves when its beat and its shutdown are over, at the latest after a while, and never rejects. A beat
   * that stops itself cannot wait for that: it resolves at once.
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

  /** Stops all. */
  async stop(): Promise<void> {
    await Promise.all([...this.#beating.keys()].map(id => this.remove(id)));
  }

  /** Stops all for good. */
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
        // While it is in use every promise of the process costs more.
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
    `The heartbeat "${id}" was not over ${graceMs} ms after it was stopped, and is left to itself: let its handler and its shutdown end.`,
    { details: { heartbeatId: id } },
  );
}
