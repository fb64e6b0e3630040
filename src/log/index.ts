/**
 * The append-only log: its contract, and the stores that keep it.
 * @module
 */
export { allThreads } from './all-threads.ts';
export * as checks from './checks.ts';
export { decodeEvent, type Encoded, encodeEvents, type Encoding } from './encode.ts';
export {
  type AppendOptions,
  type EventLog,
  type EventStore,
  type Lease,
  type LeaseRequest,
  type NewThread,
  type RawAppendOptions,
  type RawLine,
  type ReadRange,
  type Tail,
  type TailOptions,
  type Thread,
  type ThreadChange,
  type ThreadFilter,
} from './event-log.ts';
export type { IndexRest, SearchHit, SearchPage, SearchQuery } from './derived/search.ts';
export { searchLog, seqOfMessage, readUsage } from './derived/log-queries.ts';
export { type Derived, ThreadDerivation, type UsedInCall } from './derived/thread-derivation.ts';
export type { SearchedText } from './derived/searched-text.ts';
export {
  totalsOf,
  type UsageGroup,
  type UsageQuery,
  type UsageRow,
  type GroupedUsage,
} from './derived/usage-totals.ts';
export { buildSnippet, splitWords } from './derived/words.ts';
export type { EventIndex } from './event-index.ts';
export type { EventPage, EventQuery, ThreadEvent } from '../events/event-query.ts';
export { readEventPage } from './event-pages.ts';
export { exportThread, type ImportTarget, importThread } from './jsonl.ts';
export type { LiveFeed, LiveNews } from './live-feed.ts';
export { LiveTails, type Stored, type TailSource } from './live-tails.ts';
export { MemoryLog } from './memory-log.ts';
export { PostgresLog } from './postgres/postgres-log.ts';
export type { MessageCheck } from './postgres/message-table.ts';
export type { PostgresLogOptions } from './postgres/postgres-log-options.ts';
export { deleteThreads, type Retention } from './retention.ts';
export { RedisFeed } from './redis/redis-feed.ts';
export type { RedisFeedOptions } from './redis/redis-feed-options.ts';
export { readEvents, readPages } from './read-events.ts';
export { LibSQLStore, type LibSQLStoreOptions } from './sqlite/libsql-store.ts';
export type { SqliteDurability } from './sqlite/open.ts';
export { SqliteLog } from './sqlite/sqlite-log.ts';
export type { SqliteLogOptions } from './sqlite/sqlite-log-options.ts';
export { checkStore, type StoreProblem, type StoreReport } from './store/check-store.ts';
export { type CopyProgress, copyStore, type CopyTarget } from './store/copy-store.ts';
export { openStore, type OpenStoreOptions } from './store/open-store.ts';
export { parseStoreUrl, listPasswords, type StoreLocation, visibleUrl } from './store/store-url.ts';
export {
  hasOpen,
  openAfter,
  type OpenChanges,
  type OpenKind,
  openOwnedBy,
  type OpenThing,
  type RunRequested,
} from './open-things.ts';
export { copyThread, mergeMetadata, nextInListing } from './threads.ts';
export { readWindow, type ThreadWindow, type WindowRequest } from './window.ts';
export { ThreadWriter, type ThreadWriterOptions } from './thread-writer.ts';
export { importedTimeText, pastTimeText } from './event-time.ts';
