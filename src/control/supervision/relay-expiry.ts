import type { Clock } from '../../agents/clock.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { currentTime } from '../../log/event-time.ts';
import type { EventLog } from '../../log/event-log.ts';

type Relay = EventOf<'relay'>;

export interface RelayExpiryOptions {
  readonly log: Pick<EventLog, 'now'>;
  readonly clock: Clock;
  /** Stores that nobody answered in time. */
  readonly expire: (relay: Relay) => Promise<void>;
  /** Called when that cannot be stored: the agent would wait for ever. */
  readonly onFailure: (error: unknown) => void;
}

/** The longest time that a timer takes. */
const longestMs = 2 ** 31 - 1;

/** Closes the relays of a thread that its process owns when the time to answer them is over, so that agents continue. */
export class RelayExpiry {
  readonly #options: RelayExpiryOptions;
  readonly #timers = new Map<string, () => void>();

  constructor(options: RelayExpiryOptions) {
    this.#options = options;
  }

  /** Keeps the time of a pending relay. */
  watch(relay: Relay): void {
    if (relay.expiresAt === undefined || this.#timers.has(relay.id)) return;
    const { log, clock, expire, onFailure } = this.#options;
    const left = Date.parse(relay.expiresAt) - currentTime(log);
    if (left <= 0) return void expire(relay).catch(onFailure);
    const cancel = clock.after(Math.min(left, longestMs), () => {
      this.#timers.delete(relay.id);
      this.watch(relay);
    });
    this.#timers.set(relay.id, cancel);
  }

  /** The relay has its answer. */
  end(relayId: string): void {
    this.#timers.get(relayId)?.();
    this.#timers.delete(relayId);
  }

  close(): void {
    for (const relayId of this.#timers.keys()) this.end(relayId);
  }
}
