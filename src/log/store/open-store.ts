import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { callback, flag, name } from '../../base/options/option-fields.ts';
import type { EventLog } from '../event-log.ts';
import { MemoryLog } from '../memory-log.ts';
import { PostgresLog } from '../postgres/postgres-log.ts';
import { RedisFeed } from '../redis/redis-feed.ts';
import type { RedisFeedOptions } from '../redis/redis-feed-options.ts';
import { SqliteLog } from '../sqlite/sqlite-log.ts';
import { checkLiveUrl, parseStoreUrl, visibleUrl } from './store-url.ts';

export interface OpenStoreOptions {
  /** The Redis server of the live tail, such as `redis://127.0.0.1:6379`; only for a PostgreSQL store. */
  readonly live?: string | undefined;
  /** Called when the live tail cannot be used any more, with the reason, and with undefined when it can again. */
  readonly onOutage?: RedisFeedOptions['onOutage'];
  /** Whether a SQLite file that may not be written is opened for reading: appends to it are refused. False when absent. */
  readonly allowReadOnly?: boolean;
  /** The clock of events, threads and leases; that of the store when absent. */
  readonly now?: (() => number) | undefined;
}

const checkOptions = optionsCheck<OpenStoreOptions>('openStore')(() => ({
  live: name().optional(),
  onOutage: callback().optional(),
  allowReadOnly: flag().optional(),
  now: callback().optional(),
}));

/**
 * Opens the log at a URL: `file:PATH` (SQLite), `memory:` or `postgres://…`. Rejects with `invalid_argument` for a URL
 * that names no store, and with what the store rejects with when it cannot be opened.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<EventLog> {
  checkOptions(options);
  const location = parseStoreUrl(url);
  const clock = defined({ now: options.now });
  if (options.live !== undefined) checkLiveUrl(options.live);
  if (options.live !== undefined && location.kind !== 'postgres')
    throw new SingletreeError(
      'invalid_argument',
      `The store "${visibleUrl(url)}" has no live tail in Redis. Use a "postgres://…" store with it, or leave it out.`,
    );
  if (location.kind === 'memory') return new MemoryLog(clock);
  if (location.kind === 'file')
    return SqliteLog.open(location.path, { ...clock, ...defined({ allowReadOnly: options.allowReadOnly }) });
  const { live: liveUrl, onOutage } = options;
  const live = liveUrl === undefined ? undefined : await RedisFeed.open(liveUrl, defined({ onOutage }));
  try {
    return await PostgresLog.open(location.url, { ...clock, ...defined({ live }) });
  } catch (error) {
    await live?.close();
    throw error;
  }
}
