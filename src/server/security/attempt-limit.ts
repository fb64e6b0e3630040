import { isIPv6 } from 'node:net';

export interface AttemptLimitOptions {
  /** The number of failures allowed per address within the window; 10 when absent. */
  readonly most?: number;
  /** Milliseconds; a minute when absent. */
  readonly windowMs?: number;
  /** The number of tracked addresses; the one with the oldest failure is dropped first. 10,000 when absent. */
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

/** The address, or of IPv6 the /64 network that one household has; an IPv4 address in the form of IPv6 is itself. */
function network(address: string): string {
  const plain = address.replaceAll(/^\[|\]$|%.*$/g, '');
  if (!isIPv6(plain)) return plain;
  const groups = listGroups(plain);
  const isMapped = groups.slice(0, 5).every(group => group === 0) && groups[5] === 0xffff;
  if (isMapped)
    return groups
      .slice(6)
      .flatMap(group => [group >> 8, group & 0xff])
      .join('.');
  return groups
    .slice(0, 4)
    .map(group => group.toString(16))
    .join(':');
}

/** The eight groups of an IPv6 address. */
function listGroups(address: string): number[] {
  const hex = address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...bytes: string[]) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytes.slice(0, 4).map(Number);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [before = [], after = []] = hex
    .split('::')
    .map(part => part.split(':').flatMap(group => (group === '' ? [] : [Number.parseInt(group, 16)])));
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
}
