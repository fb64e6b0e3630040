/**
 * The client of a Singletree server, for browsers and Node.
 * @module
 */
export { createClient } from './create-client.ts';
export type {
  Client,
  ClientOptions,
  MentionSearch,
  RawLinePart,
  ThreadSearch,
  UsageSearch,
  WordSearch,
} from './client.ts';
export type { EventPage, EventQuery, ThreadEvent } from '../events/event-query.ts';
export { createThreadStore, type ThreadSnapshot, type ThreadStore, type ThreadStoreOptions } from './thread-store.ts';
export type { ThreadWatchOptions, WatchOptions } from './watch.ts';
export type { LoadedReading } from '../projections/reading/ranges/thread-ranges.ts';
export type { WindowOfThread, WindowPart } from '../projections/reading/ranges/thread-window.ts';
