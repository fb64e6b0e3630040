import { SingletreeError } from '../base/singletree-error.ts';
import type { Config } from './config-schema.ts';

/** The environment variables that set a value of the configuration. */
export const configVariables = {
  SINGLETREE_AGENT: 'defaultAgent',
  SINGLETREE_MODEL: 'defaultModel',
  SINGLETREE_STORE: 'store',
  SINGLETREE_LIVE: 'live',
  SINGLETREE_HOST: 'server.host',
  SINGLETREE_PORT: 'server.port',
  SINGLETREE_TITLE: 'page.title',
  SINGLETREE_TITLES: 'titles',
} as const;

/** Returns the configuration of the environment variables; empty variables are ignored. */
export function environmentConfig(env: NodeJS.ProcessEnv): Config {
  const read = (name: keyof typeof configVariables) => env[name] || undefined;
  const port = read('SINGLETREE_PORT');
  const server = { host: read('SINGLETREE_HOST'), port: port === undefined ? undefined : portNumber(port) };
  return {
    defaultAgent: read('SINGLETREE_AGENT'),
    defaultModel: read('SINGLETREE_MODEL'),
    store: read('SINGLETREE_STORE'),
    live: read('SINGLETREE_LIVE'),
    server,
    page: { title: read('SINGLETREE_TITLE') },
    titles: titleMaker(read('SINGLETREE_TITLES')),
  };
}

function titleMaker(text: string | undefined): Config['titles'] {
  if (text === undefined || text === 'model' || text === 'message') return text;
  throw new SingletreeError(
    'invalid_config',
    `SINGLETREE_TITLES is ${JSON.stringify(text)}: expected "model" or "message".`,
  );
}

function portNumber(text: string): number {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SingletreeError(
    'invalid_config',
    `SINGLETREE_PORT is ${JSON.stringify(text)}: expected a number from 0 to 65535.`,
  );
}
