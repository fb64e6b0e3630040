import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Command, Option } from 'commander';
import type { Config } from '../config/index.ts';
import { type EventLog, openStore, parseStoreUrl } from '../log/index.ts';
import { singletreeHome } from './home.ts';
import { defined } from '../events/defined.ts';

/** The options of a command that opens the log. */
export interface StoreOptions {
  readonly db?: string;
  readonly store?: string;
  readonly live?: string;
}

/** Adds `--store`, `--live` and `--db` to a command. */
export function addStoreOptions(command: Command): Command {
  return command
    .option(
      '--store <url>',
      'the log: file:PATH or postgres://…; by default SINGLETREE_STORE, else a file in SINGLETREE_HOME',
    )
    .option('--live <url>', 'the live tail of a postgres:// log: redis://…; by default SINGLETREE_LIVE')
    .addOption(new Option('--db <file>', 'the file of the log: the same as --store file:FILE').conflicts('store'));
}

/** Returns the URLs of the store and its live tail; an option goes before the environment, which goes before the configuration. */
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

/** Opens the log that the options, the environment or the configuration name. */
export async function openStoreOf(options: StoreOptions, config?: Pick<Config, 'store' | 'live'>): Promise<EventLog> {
  const { store, live } = storeUrls(options, process.env, config);
  return openStore(store, { live, onOutage: reportOutage });
}

/** Whether the log is a file that does not exist yet. */
export function isNewFile(options: StoreOptions): boolean {
  const location = parseStoreUrl(storeUrls(options).store);
  return location.kind === 'file' && !existsSync(location.path);
}

/** Prints when the live tail is lost and when it is back; readers follow the store meanwhile. */
function reportOutage(reason: string | undefined): void {
  const line =
    reason === undefined
      ? 'the live tail in Redis is back'
      : `the live tail in Redis cannot be used (${reason}): readers poll the database meanwhile`;
  process.stderr.write(`singletree: ${line}\n`);
}
