import { isUsableId } from '../checks.ts';
import type { Lease } from '../event-log.ts';
import { DamagedValue } from './errors.ts';
import type { Connection } from './open.ts';
import { command, query } from './statement.ts';
import { asJoinedBytes, asNumber, textsIn } from './stored-text.ts';

/** The leases of a file. */
export class LeaseTable {
  readonly #find;
  readonly #set;
  readonly #take;
  readonly #end;

  constructor(db: Connection) {
    this.#find = query(
      db,
      `SELECT ${asNumber('token')}, ${asJoinedBytes(['owner', 'expires'])} FROM leases WHERE name = ?`,
    );
    this.#set = command(
      db,
      'INSERT INTO leases (name, owner, token, expires) VALUES (?, ?, ?, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = excluded.token, expires = excluded.expires',
    );
    // An end that is written with a sign is that of a year beyond 9999: it does not compare as text.
    this.#take = query(
      db,
      `INSERT INTO leases (name, owner, token, expires) VALUES (?, ?, 1, ?) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = token + 1, expires = excluded.expires WHERE owner = excluded.owner OR expires BETWEEN '0' AND ? RETURNING ${asNumber('token')}`,
    );
    this.#end = command(db, 'UPDATE leases SET expires = ? WHERE name = ? AND token = ?');
  }

  find(name: string): Lease | undefined {
    const row = isUsableId(name) ? (this.#find.get(name) as [number, unknown] | undefined) : undefined;
    if (row === undefined) return undefined;
    const [owner, expiresAt] = textsIn(row[1], 2) ?? [];
    if (owner === undefined || expiresAt === undefined) throw new DamagedValue(`the lease "${name}"`, { name });
    return { name, owner, token: row[0], expiresAt };
  }

  set({ name, owner, token, expiresAt }: Lease): void {
    this.#set.run(name, owner, token, expiresAt);
  }

  /** Takes a lease that is free, that ended, or that the owner has; its new token, or undefined when it is held. */
  take({ name, owner, expiresAt }: Omit<Lease, 'token'>, now: string): number | undefined {
    return (this.#take.all(name, owner, expiresAt, now) as [number][])[0]?.[0];
  }

  end({ name, token }: Lease, now: string): void {
    this.#end.run(now, name, token);
  }
}
