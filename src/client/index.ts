/**
 * The client of a Singletree server, for browsers and Node.
 * @module
 */
export { type Client, type ClientOptions, createClient, type ThreadSearch } from './client.ts';
export { createThreadStore, type ThreadSnapshot, type ThreadStore } from './thread-store.ts';
export type { WatchOptions } from './watch.ts';
