import type { CliAdapter } from '../../contract/cli-adapter.ts';
import { clineCommand } from './command.ts';
import { clineLive } from './live.ts';
import { clineTranslator } from './translate.ts';
import { clineSession } from './session.ts';

/** Cline. */
export const clineAdapter: CliAdapter = {
  id: 'cline',
  name: 'Cline',
  executable: 'cline',
  install: 'npm install -g cline',
  credentials: { variables: [], files: ['.cline/data/settings/providers.json'] },
  login: 'run `cline auth`',
  environment: [/^CLINE_/, /_(API_KEY|API_TOKEN|BASE_URL)$/, /^(AWS|GOOGLE|AZURE)_/],
  versions: ['3.0.65', '2.18.0'],
  session: clineSession,
  live: clineLive,
  command: clineCommand,
  translator: clineTranslator,
};
