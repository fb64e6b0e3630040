/**
 * The client of a Singletree server, for browsers and Node.
 * @module
 */
export { type Client, type ClientOptions, createClient } from './client.ts';
export type { WatchOptions } from './watch.ts';
