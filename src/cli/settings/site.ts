import type { Telemetry } from '../../telemetry/telemetry.ts';
import { openTelemetry } from './telemetry.ts';
import { defined } from '../../base/defined.ts';
import type { SupervisorOptions } from '../../control/supervision/supervisor-options.ts';
import type { Limits } from '../../agents/limits/limits.ts';
import { secretsIn } from '../../agents/process/environment.ts';
import { createRedactor, type GrowingRedactor, type Redactor } from '../../agents/redaction/redactor.ts';
import type { Config } from '../../config/config-schema.ts';
import { StoredProviders } from '../../config/stored-providers.ts';
import type { OnDiagnostic } from '../../base/diagnostics.ts';
import { hideSecrets, printNotice } from '../../control/standard-output.ts';
import { errorText } from '../../base/error-text.ts';
import type { EventLog } from '../../log/event-log.ts';
import { listPasswords } from '../../log/store/store-url.ts';
import { singletreeHome } from './home.ts';
import { readMachineToken } from './machine-token.ts';
import { loadSettings, type Settings } from './settings.ts';
import { type OpenOptions, openStoreAt, type StoreOptions, storeUrls } from './store-options.ts';

export interface DiagnosticsOptions {
  readonly verbose?: boolean;
}

/** The services of a command: the log, the redactor of secrets, and the options for supervision. */
export interface Site {
  readonly log: EventLog;
  readonly secrets: readonly string[];
  /** Hides the secrets. */
  readonly redactor: GrowingRedactor;
  /** The options for a supervisor of this site, except its agents. */
  readonly supervision: Pick<SupervisorOptions, 'log' | 'onDiagnostic' | 'limits'> & { readonly telemetry?: Telemetry };
  /** Sends pending spans and closes the log. */
  close(): Promise<void>;
}

interface SiteParts extends OpenOptions {
  /** Whether secrets are hidden in what the command writes: not by a server, whose link has its token. Default: true. */
  readonly hidesSecrets?: boolean;
  /** Whether spans are sent where the environment asks for it. Default: true. */
  readonly sendsSpans?: boolean;
}

/** Opens the services of a command from its options, the environment and the configuration. */
export async function openSite(
  { config }: Pick<Settings, 'config'>,
  options: StoreOptions & DiagnosticsOptions,
  { hidesSecrets = true, sendsSpans = true, ...opening }: SiteParts = {},
): Promise<Site> {
  const secrets = secretsFor(options, config);
  const redactor = createRedactor(secrets);
  if (hidesSecrets) hideSecrets(redactor);
  const log = await openStoreAt(options, config, opening);
  const onDiagnostic = diagnosticsFor(options);
  const telemetry = sendsSpans ? await openTelemetry({ log, secrets, onDiagnostic }) : undefined;
  const limits = config.limits as Limits | undefined;
  return {
    log,
    secrets,
    redactor,
    supervision: { log, ...defined({ telemetry, onDiagnostic, limits }) },
    close: async () => {
      await telemetry?.close();
      await log.close();
    },
  };
}

/** Returns a function that prints diagnostics on stderr; undefined unless requested. */
function diagnosticsFor({ verbose }: DiagnosticsOptions): OnDiagnostic | undefined {
  if (verbose !== true) return undefined;
  return ({ code, threadId, cause }) =>
    printNotice(`${code}${threadId === undefined ? '' : ` in thread ${threadId}`}: ${errorText(cause)}`);
}

/**
 * Returns the secrets that servers and commands redact: keys from the environment, stored keys, store passwords and
 * access tokens.
 */
export function secretsFor(options: StoreOptions, config: Config, env: NodeJS.ProcessEnv = process.env): string[] {
  const { store, live } = storeUrls(options, env, config);
  // Short passwords would match harmless texts.
  const passwords = [store, live].flatMap(url => (url === undefined ? [] : listPasswords(url)));
  const named = [env['SINGLETREE_TOKEN'] ?? '', ...(env['SINGLETREE_TOKENS'] ?? '').split(/[\s,]+/)];
  const configured = (config.server?.tokens ?? []).map(({ token }) =>
    typeof token === 'string' ? token : (env[token.env] ?? ''),
  );
  const machine = readMachineToken(singletreeHome(env)) ?? '';
  const tokens = [machine, ...named.map(text => text.replace(/^[^=]*=(?!=*$)/, '')), ...configured];
  const stored = new StoredProviders(singletreeHome(env)).secrets();
  return [
    ...secretsIn(env),
    ...stored,
    ...passwords.filter(({ length }) => length >= 6),
    ...tokens.filter(text => text !== ''),
  ];
}

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
 * Opens the store that options and configuration name, read-only when it cannot be written. Output is redacted as on a
 * server.
 */
export async function withConfiguredLog<Result>(
  options: StoreOptions & { readonly withSecrets?: boolean },
  config: Config,
  act: (log: EventLog, redactor: Redactor) => Promise<Result>,
): Promise<Result> {
  const { withSecrets = false } = options;
  const site = await openSite({ config }, options, {
    allowReadOnly: true,
    hidesSecrets: !withSecrets,
    sendsSpans: false,
  });
  try {
    return await act(site.log, withSecrets ? createRedactor([]) : site.redactor);
  } finally {
    await site.close();
  }
}
