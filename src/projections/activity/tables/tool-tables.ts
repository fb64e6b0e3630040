import type { ToolTable } from '../tool-table.ts';
import { acpTools } from './acp.ts';
import { antigravityTools } from './antigravity.ts';
import { claudeTools } from './claude.ts';
import { clineTools } from './cline.ts';
import { codexTools } from './codex.ts';
import { copilotTools } from './copilot.ts';
import { geminiTools } from './gemini.ts';
import { kiloTools } from './kilo.ts';
import { opencodeTools } from './opencode.ts';
import { gooseTools } from './goose.ts';
import { piTools } from './pi.ts';
import { qwenTools } from './qwen.ts';

/** The tool tables of the external agents, by agent id. */
export const toolTables: Readonly<Record<string, ToolTable>> = {
  codex: codexTools,
  claude: claudeTools,
  pi: piTools,
  cline: clineTools,
  goose: gooseTools,
  antigravity: antigravityTools,
  kilo: kiloTools,
  opencode: opencodeTools,
  gemini: geminiTools,
  copilot: copilotTools,
  qwen: qwenTools,
  acp: acpTools,
};
