import { consumed, listTool, readTool, searchTool, shellTool, skillTool, writeTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

/** The tools of Gemini CLI, and of programs that are made from it. */
export const geminiTools: ToolTable = {
  shell: 'fresh',
  rules: {
    run_shell_command: shellTool,
    read_file: readTool('file_path', 'absolute_path', 'path'),
    write_file: writeTool('file_path', 'path'),
    replace: writeTool('file_path', 'path'),
    edit: writeTool('file_path', 'path'),
    grep_search: searchTool('pattern', 'query', 'title'),
    search_file_content: searchTool('pattern', 'query', 'title'),
    glob: searchTool('pattern', 'title'),
    list_directory: listTool,
    activate_skill: skillTool,
    skill: skillTool,
    write_todos: consumed,
    todo_write: consumed,
    exit_plan_mode: consumed,
  },
};
