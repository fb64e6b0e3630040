import { claudeAdapter } from './claude/adapter.ts';
import type { CliAdapter } from './cli-adapter.ts';
import { codexAdapter } from './codex/adapter.ts';
import { piAdapter } from './pi/adapter.ts';

/** The external agents, by id. */
export const cliAdapters: Readonly<Record<string, CliAdapter>> = {
  codex: codexAdapter,
  claude: claudeAdapter,
  pi: piAdapter,
};
