import { SingletreeError } from '../../events/index.ts';
import { optionsCheck } from '../../events/options/check-options.ts';
import { name } from '../../events/options/option-fields.ts';
import type { EventLog } from '../event-log.ts';
import { MemoryLog } from '../memory-log.ts';
import { SqliteLog } from '../sqlite/sqlite-log.ts';
import { checkLiveUrl, parseStoreUrl, visibleUrl } from './store-url.ts';

export interface OpenStoreOptions {
  /** The Redis server of the live tail, such as `redis://127.0.0.1:6379`; only for a PostgreSQL store. */
  readonly live?: string | undefined;
}

const checkOptions = optionsCheck('openStore', () => ({ live: name().optional() }));

/**
 * Opens the log at a URL: `file:PATH` (SQLite), `memory:` or `postgres://…`. Rejects with `invalid_argument` for a URL
 * that names no store, and with what the store rejects with when it cannot be opened.
 */
export async function openStore(url: string, options: OpenStoreOptions = {}): Promise<EventLog> {
  checkOptions(options);
  const location = parseStoreUrl(url);
  if (options.live !== undefined) checkLiveUrl(options.live);
  if (options.live !== undefined && location.kind !== 'postgres')
    throw new SingletreeError(
      'invalid_argument',
      `The store "${visibleUrl(url)}" has no live tail in Redis. Use a "postgres://…" store with it, or leave it out.`,
    );
  if (location.kind === 'memory') return new MemoryLog();
  if (location.kind === 'file') return SqliteLog.open(location.path);
  throw new SingletreeError('not_supported', `The store "${visibleUrl(url)}" cannot be opened yet. Use "file:PATH".`);
}
