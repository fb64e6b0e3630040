import { consumed, listTool, readTool, searchTool, shellTool, skillTool, writeTool } from '../tool-rules.ts';
import type { ToolRule, ToolTable } from '../tool-table.ts';

const subagent: ToolRule = { ...consumed, activity: '`orchestration`, from the run of the subagent' };

/** The tools of Claude Code. Its shell stays in the folder that a command changed to. */
export const claudeTools: ToolTable = {
  shell: 'persistent',
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
    Agent: subagent,
    Task: subagent,
    StructuredOutput: consumed,
  },
};
