import { antigravityAdapter } from './antigravity/adapter.ts';
import { claudeAdapter } from './claude/adapter.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { clineAdapter } from './cline/adapter.ts';
import { copilotAdapter } from './copilot/adapter.ts';
import { codexAdapter } from './codex/adapter.ts';
import { geminiAdapter } from './gemini/adapter.ts';
import { gooseAdapter } from './goose/adapter.ts';
import { kiloAdapter } from './kilo/adapter.ts';
import { opencodeAdapter } from './opencode/adapter.ts';
import { piAdapter } from './pi/adapter.ts';
import { qwenAdapter } from './qwen/adapter.ts';

/** The external agents, by id. */
export const cliAdapters: Readonly<Record<string, CliAdapter>> = {
  codex: codexAdapter,
  claude: claudeAdapter,
  pi: piAdapter,
  opencode: opencodeAdapter,
  kilo: kiloAdapter,
  cline: clineAdapter,
  goose: gooseAdapter,
  antigravity: antigravityAdapter,
  gemini: geminiAdapter,
  copilot: copilotAdapter,
  qwen: qwenAdapter,
};
