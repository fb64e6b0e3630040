import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { opencodeCommand } from './command.ts';
import { opencodeRecords } from './records.ts';
import { opencodeTranslator } from './translate.ts';

/** Matches what OpenCode and Kilo Code print when a permission is rejected because nobody can be asked. */
export const autoRejection = /permission requested: .*auto-rejecting/;

/** OpenCode. */
export const opencodeAdapter: CliAdapter = {
  id: 'opencode',
  name: 'OpenCode',
  executable: 'opencode',
  install: 'npm install -g opencode-ai',
  credentials: {
    variables: providerKeys,
    files: ['.local/share/opencode/auth.json', '.config/opencode/opencode.json'],
  },
  login: 'run `opencode auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY',
  environment: [/^OPENCODE_/, /_(API_KEY|API_TOKEN|BASE_URL)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['1.18.33'],
  denial: autoRejection,
  records: opencodeRecords,
  command: opencodeCommand,
  translator: opencodeTranslator,
};
