import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, field, flag, milliseconds } from '../../base/options/option-fields.ts';
import { byteCount, eventByteCount } from '../memory-log-options.ts';
import type { SqliteDurability } from './open.ts';

export interface SqliteLogOptions {
  /** `process` when absent. */
  durability?: SqliteDurability;
  /**
   * How long a call waits, in milliseconds, while another process holds the lock of the file, before it rejects with
   * `log_busy`; 30,000 when absent. The event loop is not blocked during the wait.
   */
  lockWaitMs?: number;
  /** How long the constructor waits for that lock, in milliseconds; nothing else happens meanwhile. 2,000 when absent. */
  openWaitMs?: number;
  /** The longest event it stores, in bytes of JSON; 16 MiB when absent, 500 MiB at most. */
  maxEventBytes?: number;
  /** How large the file may become, in bytes: what does not fit is refused with `log_full`. No limit when absent. */
  maxFileBytes?: number;
  /**
   * Whether a file that this user may not write, or whose folder this user may not write, is opened for reading: it is then
   * left as it is, and what would change it is refused with `log_unavailable`. False when absent.
   */
  allowReadOnly?: boolean;
  /** How often a waiting tail looks for appends of other processes, in milliseconds; 50 when absent. */
  pollMs?: number;
  /** The time of day, in milliseconds since 1970. */
  now?: () => number;
  /**
   * A clock that never jumps and that all processes on the file share, in milliseconds: it ends leases. `now` if that is
   * given, else the time since the machine started.
   */
  uptime?: () => number;
}

/** Throws `invalid_argument` for options that are unknown or invalid. */
export const checkSqliteLogOptions = optionsCheck<SqliteLogOptions>('new SqliteLog')(() => ({
  durability: field(value => value === 'process' || value === 'power', '"process" or "power"').optional(),
  lockWaitMs: milliseconds().optional(),
  openWaitMs: milliseconds().optional(),
  maxEventBytes: eventByteCount().optional(),
  maxFileBytes: byteCount().optional(),
  allowReadOnly: flag().optional(),
  pollMs: milliseconds().optional(),
  now: callback().optional(),
  uptime: callback().optional(),
}));
