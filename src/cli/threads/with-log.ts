import type { EventLog } from '../../log/index.ts';
import { writeOut } from '../output.ts';
import { loadSettings } from '../settings/settings.ts';
import { openStoreOf, type StoreOptions } from '../settings/store-options.ts';

/** The options of a command on stored threads. */
export interface ThreadCommandOptions extends StoreOptions {
  readonly json?: boolean;
}

/** Opens the store of a command, and closes it at the end. */
export async function withLog<Result>(options: StoreOptions, act: (log: EventLog) => Promise<Result>): Promise<Result> {
  const { config } = await loadSettings('.');
  const log = await openStoreOf(options, config);
  try {
    return await act(log);
  } finally {
    await log.close();
  }
}

/** Prints a value as one line of JSON; returns false when the reader has closed the output. */
export function printJson(value: unknown): Promise<boolean> {
  return writeOut(`${JSON.stringify(value)}\n`);
}
