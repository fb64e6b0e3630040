import { type CliAdapter, providerKeys } from '../../contract/cli-adapter.ts';
import { autoRejection } from '../opencode/adapter.ts';
import { opencodeCommand } from '../opencode/command.ts';
import { opencodeRecords } from '../opencode/records.ts';
import { opencodeTranslator } from '../opencode/translate.ts';

/** Kilo Code, a fork of OpenCode: the same flags and records, with additional tools. */
export const kiloAdapter: CliAdapter = {
  id: 'kilo',
  name: 'Kilo Code',
  executable: 'kilo',
  install: 'npm install -g @kilocode/cli',
  credentials: { variables: providerKeys, files: ['.local/share/kilo/auth.json', '.config/kilo/kilo.json'] },
  login: 'run `kilo auth login`, or set the key of a provider, such as ANTHROPIC_API_KEY',
  environment: [/^KILO(CODE)?_/, /_(API_KEY|API_TOKEN|BASE_URL)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['7.7.9'],
  denial: autoRejection,
  records: opencodeRecords,
  command: opencodeCommand,
  translator: opencodeTranslator,
};
