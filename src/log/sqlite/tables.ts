import { EventTable } from './event-table.ts';
import { OutlineTable } from './outline-table.ts';
import { SearchTable } from './search-table.ts';
import { UsageTable } from './usage-table.ts';
import { LeaseTable } from './lease-table.ts';
import type { Connection } from './statement.ts';
import { OpenTable } from './open-table.ts';
import { RawLineTable } from './raw-line-table.ts';
import { ThreadTable } from './thread-table.ts';
import { Transaction } from './transaction.ts';

/** Every statement of the log, prepared once. */
export interface Tables {
  readonly transaction: Transaction;
  readonly threads: ThreadTable;
  readonly events: EventTable;
  readonly open: OpenTable;
  readonly leases: LeaseTable;
  readonly rawLines: RawLineTable;
  readonly outlines: OutlineTable;
  readonly search: SearchTable;
  readonly used: UsageTable;
}

/** Prepares the statements; fails when the file has not the tables it should have. */
export function prepareTables(db: Connection): Tables {
  return {
    transaction: new Transaction(db),
    threads: new ThreadTable(db),
    events: new EventTable(db),
    open: new OpenTable(db),
    leases: new LeaseTable(db),
    rawLines: new RawLineTable(db),
    outlines: new OutlineTable(db),
    search: new SearchTable(db),
    used: new UsageTable(db),
  };
}
