import { secretsIn } from '../../agents/process/environment.ts';
import { createRedactor, type GrowingRedactor } from '../../agents/redaction/redactor.ts';
import { type Config, StoredProviders } from '../../config/index.ts';
import { hideSecrets } from '../../control/standard-output.ts';
import { passwordsOf } from '../../log/index.ts';
import { singletreeHome } from './home.ts';
import { readMachineToken } from './machine-token.ts';
import { type StoreOptions, storeUrls } from './store-options.ts';

/** Hides the secrets of a command in everything that it writes from now on; returns what hides them. */
export function hideSecretsFor(options: StoreOptions, config: Config): GrowingRedactor {
  const redactor = createRedactor(secretsFor(options, config));
  hideSecrets(redactor);
  return redactor;
}

/**
 * Returns what neither a server nor a command shows of a thread: the keys of the environment and those that were stored,
 * the passwords of the store and the access tokens.
 */
export function secretsFor(options: StoreOptions, config: Config, env: NodeJS.ProcessEnv = process.env): string[] {
  const { store, live } = storeUrls(options, env, config);
  // Short passwords would be found in harmless texts.
  const passwords = [store, live].flatMap(url => (url === undefined ? [] : passwordsOf(url)));
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
