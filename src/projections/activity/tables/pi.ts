import { listTool, readTool, searchTool, shellTool, writeTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

/** The tools of Pi; their names are matched without regard to case. */
export const piTools: ToolTable = {
  shell: 'fresh',
  nameOf: name => name.toLowerCase(),
  rules: {
    read: readTool('path', 'file_path'),
    write: writeTool('path', 'file_path'),
    edit: writeTool('path', 'file_path'),
    search: searchTool('pattern', 'query'),
    grep: searchTool('pattern', 'query'),
    glob: searchTool('pattern', 'query'),
    find: searchTool('pattern', 'query'),
    list: listTool,
    ls: listTool,
    bash: shellTool,
    shell: shellTool,
  },
};
