import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { piCommand } from './command.ts';
import { piLive } from './live/adapter.ts';
import { piSession } from './session.ts';
import { piTranslator } from './translate.ts';

/** Pi. */
export const piAdapter: CliAdapter = {
  id: 'pi',
  name: 'Pi',
  executable: 'pi',
  install: 'npm install -g @earendil-works/pi-coding-agent',
  credentials: { variables: providerKeys, files: ['.pi/agent/auth.json', '.pi/agent/models.json'] },
  login: 'run `pi` once and use /login, or set the key of a provider, such as ANTHROPIC_API_KEY',
  environment: [/^PI_/, /_(API_KEY|API_TOKEN|BASE_URL|OAUTH_TOKEN)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['0.87.1', '0.73.1'],
  session: piSession,
  live: piLive,
  command: piCommand,
  translator: piTranslator,
};
