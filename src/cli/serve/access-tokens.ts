import { Option } from 'commander';
import type { Config } from '../../config/config-schema.ts';
import { defined } from '../../base/defined.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { AccessToken } from '../../server/security/access.ts';

/** The `--token` option: one token each time, as SECRET or NAME=SECRET. */
export function tokenOption(): Option {
  const description =
    'an access token that clients have to send, as SECRET or NAME=SECRET (repeatable); the name is noted with what its owner does';
  return new Option('--token <token>', description).argParser<readonly AccessToken[] | undefined>((text, before) => [
    ...(before ?? []),
    accessToken(text),
  ]);
}

/** Returns the tokens in `SINGLETREE_TOKEN` (one) and `SINGLETREE_TOKENS` (several, separated by commas or spaces). */
export function tokensIn(env: NodeJS.ProcessEnv): AccessToken[] {
  const several = (env['SINGLETREE_TOKENS'] ?? '').split(/[\s,]+/);
  return [env['SINGLETREE_TOKEN'] ?? '', ...several].filter(text => text !== '').map(accessToken);
}

/** Returns the tokens of a configuration; a variable that holds one must be set. */
export function configuredTokens({ server }: Config, env: NodeJS.ProcessEnv): AccessToken[] {
  return (server?.tokens ?? []).map(({ token, name, resourceId }) => {
    const secret = typeof token === 'string' ? token : env[token.env];
    if (secret) return { token: secret, ...defined({ name, resourceId }) };
    throw new SingletreeError(
      'invalid_config',
      `The token ${name === undefined ? 'of the server' : `of "${name}"`} is in ${JSON.stringify(token)}, which is not set.`,
    );
  });
}

/** Reads SECRET or NAME=SECRET; an `=` that only ends the text is the padding of a base64 secret. */
export function accessToken(text: string): AccessToken {
  const [, name, secret] = /^([^=]*)=(?!=*$)([^]+)$/.exec(text) ?? [];
  if (name === undefined || secret === undefined) return { token: text };
  if (/^[\p{L}\p{N}][\p{L}\p{N}._@ +-]{0,63}$/u.test(name)) return { name, token: secret };
  // An `InvalidArgumentError` would print the secret.
  throw new SingletreeError(
    'invalid_argument',
    'The name of a token is invalid. Expected SECRET or NAME=SECRET; a name has at most 64 letters, digits, spaces and . _ @ + -.',
  );
}
