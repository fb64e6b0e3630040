import {
  consumed,
  listTool,
  readTool,
  searchTool,
  shellTool,
  skillTool,
  subagentTool,
  writeTool,
} from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

/** The tools of Claude Code. Its shell stays in the folder that a command changed to. */
export const claudeTools: ToolTable = {
  shell: 'persistent',
  isNamedOnlyByCall: () => true,
  rules: {
    Read: readTool('file_path', 'path'),
    Write: writeTool('file_path', 'path'),
    Edit: writeTool('file_path', 'path'),
    MultiEdit: writeTool('file_path', 'path'),
    NotebookEdit: writeTool('notebook_path', 'file_path'),
    Grep: searchTool('pattern'),
    Glob: searchTool('pattern'),
    LS: listTool,
    Bash: shellTool,
    Skill: skillTool,
    Agent: subagentTool,
    Task: subagentTool,
    StructuredOutput: consumed,
  },
};
