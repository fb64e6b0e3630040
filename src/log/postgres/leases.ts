import { checkId, checkLeaseRequest, isUsableId, leaseHeld, leaseLost } from '../checks.ts';
import type { Lease, LeaseRequest } from '../event-log.ts';
import type { Connections } from './connections.ts';
import type { Statement } from './value-query.ts';
import { isoTime } from './thread-rows.ts';

interface LeaseRow {
  readonly is_taken: boolean;
  readonly owner: string;
  readonly token: string;
  readonly expires_ms: number;
}

/** The leases of a log; the database decides by its own clock whether one has expired. */
export class Leases {
  readonly #connections: Connections;
  readonly #take: Statement;
  readonly #setEnd: Statement;
  readonly #owner: Statement;
  readonly #stamp: () => string | null;

  /** `stamp` returns the time to use instead of that of the database, or null. */
  constructor(connections: Connections, schema: string, stamp: () => string | null) {
    this.#connections = connections;
    this.#stamp = stamp;
    this.#take = { name: 'take_lease', text: `SELECT * FROM ${schema}.take_lease($1, $2, $3, $4, $5)` };
    this.#setEnd = {
      name: 'set_lease_end',
      text: `UPDATE ${schema}.leases SET expires = coalesce($4::timestamptz, clock_timestamp()) + $3::float8 * interval '1 ms'
             WHERE name = $1 AND token = $2 RETURNING extract(epoch FROM expires) * 1000 AS expires_ms`,
    };
    this.#owner = {
      name: 'lease_owner',
      text: `SELECT owner FROM ${schema}.leases WHERE name = $1 AND expires > coalesce($2::timestamptz, clock_timestamp())`,
    };
  }

  async acquire(name: string, request: LeaseRequest): Promise<Lease> {
    checkLeaseRequest(request);
    const { owner, ttlMs, isGone } = request;
    checkId('lease name', name);
    checkId('lease owner', owner);
    const take = async (gone: string | null) => {
      const values = () => [name, owner, ttlMs, gone, this.#stamp()];
      return (await this.#connections.query<LeaseRow>(this.#take, values))[0] as LeaseRow;
    };
    let row = await take(null);
    if (!row.is_taken && isGone?.(row.owner) === true) row = await take(row.token);
    const expiresAt = isoTime(row.expires_ms);
    if (!row.is_taken) throw leaseHeld(name, row.owner, expiresAt);
    return { name, owner, token: Number(row.token), expiresAt };
  }

  async renew(lease: Lease, ttlMs: number): Promise<Lease> {
    const { name, owner, token } = lease;
    const end = await this.#end(lease, ttlMs);
    if (end === undefined) throw leaseLost(lease);
    return { name, owner, token, expiresAt: isoTime(end) };
  }

  async release(lease: Lease): Promise<void> {
    await this.#end(lease, 0);
  }

  /** The owner of a lease that has not ended. */
  async owner(name: string): Promise<string | undefined> {
    if (!isUsableId(name)) return undefined;
    const values = () => [name, this.#stamp()];
    return (await this.#connections.query<{ owner: string }>(this.#owner, values))[0]?.owner;
  }

  /** Undefined when the lease is not the newest of its name. */
  async #end({ name, token }: Lease, ttlMs: number): Promise<string | undefined> {
    if (!isUsableId(name)) return undefined;
    const values = () => [name, token, ttlMs, this.#stamp()];
    return (await this.#connections.query<{ expires_ms: string }>(this.#setEnd, values))[0]?.expires_ms;
  }
}

/** The name and the token that an append must find, for its statement; no lease has an empty name. */
export function fence(lease: Lease | undefined): [name: string | null, token: number | null] {
  return lease === undefined ? [null, null] : [isUsableId(lease.name) ? lease.name : '', lease.token];
}
