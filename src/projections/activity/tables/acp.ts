import { readTool, searchTool, shellTool, writeTool } from '../tool-rules.ts';
import type { ToolTable } from '../tool-table.ts';

const paths = ['path', 'file_path', 'filePath', 'filepath'];

/** The kinds of calls in the Agent Client Protocol, for programs of which nothing else is known. */
export const acpTools: ToolTable = {
  shell: 'unknown',
  isNamedOnlyByCall: () => true,
  rules: {
    execute: shellTool,
    read: readTool(...paths),
    edit: writeTool(...paths),
    delete: writeTool(...paths),
    search: searchTool('pattern', 'query', 'regex'),
  },
};
