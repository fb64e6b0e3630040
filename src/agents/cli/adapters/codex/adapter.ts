import type { CliAdapter } from '../../contract/cli-adapter.ts';
import { codexCommand } from './command.ts';
import { codexLive } from './live/adapter.ts';
import { codexSession } from './session.ts';
import { codexTranslator } from './translate.ts';

/** Codex. */
export const codexAdapter: CliAdapter = {
  id: 'codex',
  name: 'Codex',
  executable: 'codex',
  install: 'npm install -g @openai/codex',
  credentials: { variables: ['CODEX_API_KEY', 'OPENAI_API_KEY'], files: ['.codex/auth.json'] },
  login: 'run `codex login`, or set CODEX_API_KEY',
  prices: 'openai',
  repeated:
    /^Reading additional input from stdin\.\.\.$| codex_core::tools::router: error=.*rejected by user(?! approval settings)/,
  environment: [/^(CODEX|OPENAI|AZURE_OPENAI)_/],
  versions: ['0.166.0', '0.125.0'],
  denial: /codex_core::tools::router: error=.*\breject(ed)?\b/,
  session: codexSession,
  live: codexLive,
  command: codexCommand,
  translator: codexTranslator,
};
