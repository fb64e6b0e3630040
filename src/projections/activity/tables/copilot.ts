import { listTool, readTool, searchTool, shellTool, subagentTool, writeTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

/** The tools of Copilot CLI; where no name is known, the kind of the call is used as the name. */
export const copilotTools: ToolTable = {
  shell: 'persistent',
  isNamedOnlyByCall: () => true,
  rules: {
    bash: shellTool,
    view: readTool('path'),
    read: readTool('path'),
    create: writeTool('path', 'fileName'),
    edit: writeTool('path', 'fileName'),
    search: searchTool('pattern', 'query'),
    grep: searchTool('pattern', 'query'),
    glob: searchTool('pattern'),
    list: listTool,
    task: subagentTool,
  },
};
