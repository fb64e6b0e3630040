import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, field, having, milliseconds } from '../../base/options/option-fields.ts';
import type { LiveFeed } from '../live-feed.ts';
import { eventByteCount } from '../memory-log-options.ts';

export interface PostgresLogOptions {
  /** The schema of the database that holds the log, created when missing; `singletree` when absent. */
  schema?: string;
  /** How many connections are used at most, besides the one that listens; 10 when absent. */
  connections?: number;
  /** How long opening waits for a database that cannot be reached, in milliseconds; 5,000 when absent. */
  openWaitMs?: number;
  /**
   * How long a call waits, in milliseconds, while the database cannot be reached, before it rejects with
   * `store_unreachable`; 30,000 when absent.
   */
  waitMs?: number;
  /** How often waiting tails look for appends whose news was lost, in milliseconds; 5,000 when absent. */
  pollMs?: number;
  /** The longest event it stores, in bytes of JSON; 16 MiB when absent, 500 MiB at most. */
  maxEventBytes?: number;
  /** Carries the news of appends to other processes; LISTEN and NOTIFY of the database when absent. Closed with the log. */
  live?: LiveFeed;
  /** The clock of events, threads and leases; that of the database when absent. */
  now?: () => number;
}

/** A name that needs no quotes. */
const plainName = /^[a-z_][a-z0-9_]{0,62}$/;
const schemaName = () =>
  field(
    value => typeof value === 'string' && plainName.test(value) && !value.startsWith('pg_'),
    'a name of up to 63 lower-case letters, digits and _',
  );

/** Throws `invalid_argument` for options that are unknown or invalid. */
export const checkPostgresLogOptions = optionsCheck<PostgresLogOptions>('PostgresLog.open')(() => ({
  schema: schemaName().optional(),
  connections: field(value => Number.isInteger(value) && (value as number) > 0, 'a number above 0').optional(),
  openWaitMs: milliseconds().optional(),
  waitMs: milliseconds().optional(),
  pollMs: milliseconds().optional(),
  maxEventBytes: eventByteCount().optional(),
  live: having(['publish', 'subscribe', 'close'], 'a live feed').optional(),
  now: callback().optional(),
}));
