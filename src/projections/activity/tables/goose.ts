import { getSuccess } from '../outcome.ts';
import { resolvePath } from '../path.ts';
import {
  consumed,
  listTool,
  readTool,
  searchTool,
  shellTool,
  skillTool,
  subagentEndTool,
  subagentTool,
  writeTool,
} from '../tool-rules.ts';
import type { ToolRule, ToolTable } from '../tool-table.ts';

const edits: ReadonlySet<unknown> = new Set(['write', 'create', 'str_replace', 'insert', 'edit_file', 'undo_edit']);

const textEditor: ToolRule = {
  activity: '`read` or `write`, by its command',
  operations: ({ command, path, view_range: range }, { cwd, output }) => {
    if (typeof path !== 'string' || path === '' || (command !== 'view' && !edits.has(command))) return undefined;
    const where = { path: resolvePath(cwd, path), ...getSuccess(output) };
    return [command === 'view' ? { type: 'read', ...where, ...readLines(range) } : { type: 'write', ...where }];
  },
};

/** The lines of a view; an end of -1 is the end of the file. */
function readLines(range: unknown): { startLine?: number; endLine?: number } {
  const [start, end] = Array.isArray(range) ? (range as unknown[]) : [];
  return {
    ...(typeof start === 'number' && start > 0 && { startLine: start }),
    ...(typeof end === 'number' && end > 0 && { endLine: end }),
  };
}

/** An image is read from a file, or from the network. */
const readImage: ToolRule = {
  activity: '`read` of a file',
  operations: (input, context) =>
    /^\w+:\/\//.test(String(input['source'])) ? undefined : readTool('source', 'path').operations(input, context),
};

const ofExtensions: Readonly<Record<string, ToolRule>> = {
  text_editor: textEditor,
  read: readTool('path', 'file_path'),
  read_image: readImage,
  write: writeTool('path', 'file_path'),
  edit: writeTool('path', 'file_path'),
  grep: searchTool('pattern', 'query'),
  glob: searchTool('pattern', 'query'),
  list: listTool,
  tree: listTool,
  shell: shellTool,
  load_skill: skillTool,
  skill: skillTool,
};

/** The tools of Goose; a name may begin with the extension that has the tool. */
export const gooseTools: ToolTable = {
  shell: 'fresh',
  isNamedOnlyByCall: () => true,
  nameOf: name => {
    if (name.startsWith('todo__')) return 'todo__*';
    const tool = name.slice(name.lastIndexOf('__') + 2);
    if (!name.includes('__')) return name;
    return Object.hasOwn(ofExtensions, tool) || name === `summon__${tool}` ? tool : name;
  },
  rules: { ...ofExtensions, delegate: subagentTool, load: subagentEndTool, 'todo__*': consumed },
};
