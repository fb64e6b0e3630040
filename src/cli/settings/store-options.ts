import { constants, existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config/config-schema.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog } from '../../log/event-log.ts';
import { openStore } from '../../log/store/open-store.ts';
import { parseStoreUrl } from '../../log/store/store-url.ts';
import { makeSingletreeHome, singletreeHome } from './home.ts';
import { defined } from '../../base/defined.ts';
import { printNotice } from '../../control/standard-output.ts';

/** The options of a command that opens the log. */
export interface StoreOptions {
  readonly db?: string;
  readonly store?: string;
  readonly live?: string;
}

/** Returns the URLs of the store and its live tail: from options, else the environment, else the configuration. */
export function storeUrls(
  { db, store, live }: StoreOptions,
  env: NodeJS.ProcessEnv = process.env,
  config: Pick<Config, 'store' | 'live'> = {},
): { readonly store: string; readonly live?: string } {
  const named = db === undefined ? store : `file:${db}`;
  const configured = env['SINGLETREE_STORE'] || config.store;
  const url = named ?? configured ?? `file:${join(singletreeHome(env), 'singletree.db')}`;
  const isDatabase = parseStoreUrl(url).kind === 'postgres';
  // A live tail in the environment is that of the servers; a file that is named here has none.
  const tail = live ?? (isDatabase ? env['SINGLETREE_LIVE'] || config.live : undefined);
  return { store: url, ...defined({ live: tail }) };
}

export interface OpenOptions {
  /** Receives diagnostics of the live tail; printed when absent. */
  readonly report?: (text: string) => void;
  /** Whether a file that cannot be written is opened for reading. */
  readonly allowReadOnly?: boolean;
}

/** Opens the log that the options, the environment or the configuration name. */
export async function openStoreAt(
  options: StoreOptions,
  config?: Pick<Config, 'store' | 'live'>,
  { report = printNotice, allowReadOnly = false }: OpenOptions = {},
): Promise<EventLog> {
  const { store, live } = storeUrls(options, process.env, config);
  makeSingletreeHome();
  return openStore(store, { live, allowReadOnly, onOutage: reason => report(outageText(reason)) });
}

/** Rejects when a log cannot be used: its file is gone or cannot be written, or its database does not answer. */
export async function probeStore(
  log: EventLog,
  options: StoreOptions,
  config?: Pick<Config, 'store' | 'live'>,
): Promise<void> {
  const location = parseStoreUrl(storeUrls(options, process.env, config).store);
  if (location.kind === 'file')
    await access(location.path, constants.R_OK | constants.W_OK).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? fileGone(location.path) : fileClosed(location.path, error);
    });
  await log.getThread('probe');
}

function fileGone(path: string): SingletreeError {
  return new SingletreeError(
    'store_unreachable',
    `The file ${path} was removed: nothing is kept from now on. Put it back, or quit and start again.`,
  );
}

function fileClosed(path: string, cause: NodeJS.ErrnoException): SingletreeError {
  return new SingletreeError(
    'store_unreachable',
    `The file ${path} may not be read and written any more (${cause.code}). Change its permissions back, or quit and use another store.`,
    { cause },
  );
}

/** Whether the log is a file that does not exist yet. */
export function isNewFile(options: StoreOptions): boolean {
  const location = parseStoreUrl(storeUrls(options).store);
  return location.kind === 'file' && !existsSync(location.path);
}

/** Returns the message for a lost or restored live tail; readers poll the store in between. */
function outageText(reason: string | undefined): string {
  return reason === undefined
    ? 'the live tail in Redis is back'
    : `the live tail in Redis cannot be used (${reason}): readers poll the database meanwhile`;
}
