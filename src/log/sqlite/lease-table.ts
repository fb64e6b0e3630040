import { isUsableId } from '../checks.ts';
import type { Lease } from '../event-log.ts';
import { DamagedValue } from './errors.ts';
import { command, type Connection, query } from './statement.ts';
import { asJoinedBytes, asNumber, textsIn } from './stored-text.ts';

/** How long a lease lasts, by the clock that does not jump. */
export interface LeaseTime {
  readonly now: number;
  readonly ttlMs: number;
}

/** The leases of a file. */
export class LeaseTable {
  readonly #find;
  readonly #isHeld;
  readonly #set;
  readonly #take;
  readonly #end;

  constructor(db: Connection) {
    this.#find = query(
      db,
      `SELECT ${asNumber('token')}, ${asJoinedBytes(['owner', 'expires'])} FROM leases WHERE name = ?`,
    );
    this.#isHeld = query(db, 'SELECT 1 FROM leases WHERE name = ? AND until > ? AND until <= ? + ttl');
    const columns = '(name, owner, token, expires, until, ttl)';
    const changes = 'owner = excluded.owner, expires = excluded.expires, until = excluded.until, ttl = excluded.ttl';
    this.#set = command(
      db,
      `INSERT INTO leases ${columns} VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET ${changes}, token = excluded.token`,
    );
    // A lease that ends later than its ttl allows is from before the machine restarted, which resets the clock.
    this.#take = query(
      db,
      `INSERT INTO leases ${columns} VALUES (?, ?, 1, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET ${changes}, token = token + 1 WHERE owner = excluded.owner OR until <= ? OR until > ? + ttl RETURNING ${asNumber('token')}`,
    );
    this.#end = command(db, 'UPDATE leases SET expires = ?, until = 0 WHERE name = ? AND token = ?');
  }

  find(name: string): Lease | undefined {
    const row = isUsableId(name) ? (this.#find.get(name) as [number, unknown] | undefined) : undefined;
    if (row === undefined) return undefined;
    const [owner, expiresAt] = textsIn(row[1], 2) ?? [];
    if (owner === undefined || expiresAt === undefined) throw new DamagedValue(`the lease "${name}"`, { name });
    return { name, owner, token: row[0], expiresAt };
  }

  /** Whether a lease has not ended. */
  isHeld(name: string, now: number): boolean {
    return this.#isHeld.get(name, now, now) !== undefined;
  }

  set({ name, owner, token, expiresAt }: Lease, { now, ttlMs }: LeaseTime): void {
    this.#set.run(name, owner, token, expiresAt, now + ttlMs, ttlMs);
  }

  /** Takes a lease that is free, that ended, or that the owner has; its new token, or undefined when it is held. */
  take({ name, owner, expiresAt }: Omit<Lease, 'token'>, { now, ttlMs }: LeaseTime): number | undefined {
    return (this.#take.all(name, owner, expiresAt, now + ttlMs, ttlMs, now, now) as [number][])[0]?.[0];
  }

  end({ name, token }: Lease, expiresAt: string): void {
    this.#end.run(expiresAt, name, token);
  }
}
