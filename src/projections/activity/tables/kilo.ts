import { searchTool, subagentEndTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';
import { opencodeTools } from './opencode.ts';

/** The tools of Kilo Code: those of OpenCode, and some more. */
export const kiloTools: ToolTable = {
  ...opencodeTools,
  rules: {
    ...opencodeTools.rules,
    codesearch: searchTool('query', 'pattern'),
    semantic_search: searchTool('query', 'pattern'),
    agent_manager: subagentEndTool,
  },
};
