import type { CliAdapter } from '../../contract/cli-adapter.ts';
import { antigravityCommand } from './command.ts';
import { antigravityTranslator } from './translate.ts';

/** Antigravity. */
export const antigravityAdapter: CliAdapter = {
  id: 'antigravity',
  name: 'Antigravity',
  executable: 'agy',
  install: 'curl -fsSL https://antigravity.google/cli/install.sh | bash',
  credentials: { variables: [], files: [] },
  login: 'run `agy` once and sign in with a Google account',
  environment: [/^(AGY|ANTIGRAVITY|GEMINI|GOOGLE)_/],
  versions: [],
  printsPlainText: true,
  command: antigravityCommand,
  translator: antigravityTranslator,
};
