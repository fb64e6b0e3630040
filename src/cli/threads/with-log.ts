import { createRedactor, type Redactor } from '../../agents/redaction/redactor.ts';
import type { Config } from '../../config/index.ts';
import type { EventLog } from '../../log/index.ts';
import { hideSecretsFor } from '../settings/secrets.ts';
import { loadSettings } from '../settings/settings.ts';
import { openStoreOf, type StoreOptions } from '../settings/store-options.ts';

/** The options of a command on stored threads. */
export interface ThreadCommandOptions extends StoreOptions {
  readonly json?: boolean;
}

/** Opens the store of a command on stored threads, and closes it at the end. */
export async function withLog<Result>(
  options: StoreOptions & { readonly withSecrets?: boolean },
  act: (log: EventLog, redactor: Redactor) => Promise<Result>,
): Promise<Result> {
  const { config } = await loadSettings('.');
  return withConfiguredLog(options, config, act);
}

/**
 * Opens the store that options and configuration name, for reading only when it cannot be written. What is printed has
 * none of the secrets that a server hides.
 */
export async function withConfiguredLog<Result>(
  options: StoreOptions & { readonly withSecrets?: boolean },
  config: Config,
  act: (log: EventLog, redactor: Redactor) => Promise<Result>,
): Promise<Result> {
  const redactor = options.withSecrets === true ? createRedactor([]) : hideSecretsFor(options, config);
  const log = await openStoreOf(options, config, { allowReadOnly: true });
  try {
    return await act(log, redactor);
  } finally {
    await log.close();
  }
}
