import { listTool, patchTool, readTool, searchTool, shellTool, skillTool, writeTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

const path = ['path', 'file_path', 'filePath'];

/** Common tool names, for agents without a tool table. */
export const nativeTools: ToolTable = {
  shell: 'fresh',
  nameOf: name => name.toLowerCase().replace(/^mastra_workspace_/, ''),
  rules: {
    read: readTool(...path),
    read_file: readTool(...path),
    write: writeTool(...path),
    write_file: writeTool(...path),
    edit: writeTool(...path),
    edit_file: writeTool(...path),
    delete: writeTool(...path),
    patch: patchTool('patch'),
    apply_patch: patchTool('patch', 'input', 'patchText'),
    grep: searchTool('pattern', 'query'),
    glob: searchTool('pattern', 'query'),
    search: searchTool('pattern', 'query'),
    ls: listTool,
    list: listTool,
    list_files: listTool,
    bash: shellTool,
    shell: shellTool,
    execute_command: shellTool,
    execute: shellTool,
    skill: skillTool,
  },
};
