import { checkId, checkLeaseRequest, leaseEnd, leaseHeld, leaseLost } from '../checks.ts';
import type { Lease, LeaseRequest } from '../event-log.ts';
import { timeText } from '../event-time.ts';
import type { LeaseTable } from './lease-table.ts';

export interface LeasesOptions {
  readonly table: LeaseTable;
  /** The time of day, for people. */
  readonly now: () => number;
  /** The clock that ends leases. */
  readonly uptime: () => number;
}

/** The rules of leases, each to be performed in a transaction. */
export class Leases {
  readonly #options: LeasesOptions;

  constructor(options: LeasesOptions) {
    this.#options = options;
  }

  acquire(name: string, request: LeaseRequest): Lease {
    checkLeaseRequest(request);
    const { owner, ttlMs, isGone } = request;
    checkId('lease name', name);
    checkId('lease owner', owner);
    const { table, now, uptime } = this.#options;
    const expiresAt = leaseEnd(now(), ttlMs);
    const token = table.take({ name, owner, expiresAt }, { now: uptime(), ttlMs });
    if (token !== undefined) return { name, owner, token, expiresAt };
    const current = table.find(name);
    if (current && isGone?.(current.owner) !== true) throw leaseHeld(name, current.owner, current.expiresAt);
    return this.#set({ name, owner, token: (current?.token ?? 0) + 1 }, ttlMs);
  }

  renew(lease: Lease, ttlMs: number): Lease {
    this.check(lease);
    return this.#set(lease, ttlMs);
  }

  release(lease: Lease): void {
    this.#options.table.end(lease, timeText(this.#options.now()));
  }

  /** The owner of a lease that has not ended. */
  owner(name: string): string | undefined {
    const { table, uptime } = this.#options;
    const lease = table.find(name);
    return lease !== undefined && table.isHeld(name, uptime()) ? lease.owner : undefined;
  }

  /** Throws `lease_lost` unless it is the newest of its name. */
  check(lease: Lease): void {
    if (this.#options.table.find(lease.name)?.token !== lease.token) throw leaseLost(lease);
  }

  #set({ name, owner, token }: Pick<Lease, 'name' | 'owner' | 'token'>, ttlMs: number): Lease {
    const { table, now, uptime } = this.#options;
    const lease = { name, owner, token, expiresAt: leaseEnd(now(), ttlMs) };
    table.set(lease, { now: uptime(), ttlMs });
    return lease;
  }
}
