export interface AttemptLimitOptions {
  /** How many failures an address may make within the window; 10 when absent. */
  readonly most?: number;
  /** Milliseconds; a minute when absent. */
  readonly windowMs?: number;
  /** How many addresses are remembered; the one that failed longest ago is forgotten first. 10,000 when absent. */
  readonly addresses?: number;
  readonly now?: () => number;
}

interface Failures {
  readonly since: number;
  readonly count: number;
}

/** Counts failed attempts by address, in bounded memory. */
export class AttemptLimit {
  readonly #failures = new Map<string, Failures>();
  readonly #options: Required<AttemptLimitOptions>;

  constructor(options: AttemptLimitOptions = {}) {
    this.#options = { most: 10, windowMs: 60_000, addresses: 10_000, now: Date.now, ...options };
  }

  /** How many seconds an address has to wait; 0 when it may try. */
  secondsToWait(address: string): number {
    const { most, windowMs, now } = this.#options;
    const failures = this.#failures.get(network(address));
    if (failures === undefined || failures.count < most) return 0;
    return Math.max(0, Math.ceil((failures.since + windowMs - now()) / 1000));
  }

  /** Counts one more failure. */
  fail(address: string): void {
    const { windowMs, addresses, now } = this.#options;
    const key = network(address);
    const known = this.#failures.get(key);
    const current = known !== undefined && known.since + windowMs > now();
    this.#failures.delete(key);
    this.#failures.set(key, current ? { ...known, count: known.count + 1 } : { since: now(), count: 1 });
    const [oldest] = this.#failures.keys();
    if (this.#failures.size > addresses && oldest !== undefined) this.#failures.delete(oldest);
  }
}

/** The address, or of IPv6 the network that one household has. */
function network(address: string): string {
  return address.includes(':') && !address.includes('.') ? address.split(':').slice(0, 4).join(':') : address;
}
