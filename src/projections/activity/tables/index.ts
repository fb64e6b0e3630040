import type { ToolTable } from '../tool-table.ts';
import { claudeTools } from './claude.ts';
import { codexTools } from './codex.ts';
import { piTools } from './pi.ts';

/** The tool tables of the external agents, by agent id. */
export const toolTables: Readonly<Record<string, ToolTable>> = {
  codex: codexTools,
  claude: claudeTools,
  pi: piTools,
};
