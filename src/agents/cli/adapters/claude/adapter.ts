import type { CliAdapter } from '../../contract/cli-adapter.ts';
import { claudeCommand } from './command.ts';
import { claudeLive } from './live/adapter.ts';
import { claudeSession } from './session.ts';
import { claudeTranslator } from './translate.ts';

/** Claude Code. */
export const claudeAdapter: CliAdapter = {
  id: 'claude',
  name: 'Claude Code',
  executable: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  credentials: {
    variables: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN', 'CLAUDE_CODE_OAUTH_TOKEN'],
    files: ['.claude/.credentials.json'],
  },
  login: 'run `claude` once and log in, or set ANTHROPIC_API_KEY',
  prices: 'anthropic',
  environment: [/^(ANTHROPIC|CLAUDE|DISABLE|AWS|VERTEX|GOOGLE|CLOUD_ML|BASH|MCP)_/, /^IS_SANDBOX$/],
  versions: ['2.1.325', '1.0.50'],
  session: claudeSession,
  command: claudeCommand,
  translator: claudeTranslator,
  live: claudeLive,
};
