import { getSuccess } from '../outcome.ts';
import {
  listTool,
  patchTool,
  readTool,
  searchTool,
  shellTool,
  skillTool,
  subagentEndTool,
  writeTool,
} from '../tool-rules.ts';
import type { CallContext, ToolRule, ToolTable } from '../tool-table.ts';

const readFile = readTool('filePath', 'path');

const read: ToolRule = {
  activity: '`read`, or `list` of a folder',
  operations: (input, context) =>
    readResult(context)['isDirectory'] === true
      ? listTool.operations({ path: input['filePath'] ?? input['path'] }, context)
      : readFile.operations(input, context),
};

const readPatch = patchTool('patchText', 'patch', 'input');

/** The files that were changed are reported with their whole paths; the patch names them when they are not. */
const patch: ToolRule = {
  ...readPatch,
  operations: (input, context) => {
    const { files } = readResult(context);
    if (!Array.isArray(files)) return readPatch.operations(input, context);
    return files.map((path: string) => ({ type: 'write', path, ...getSuccess(context.output) }));
  },
};

const searchSymbol = searchTool('query', 'symbol');

const lsp: ToolRule = {
  activity: '`search` when it has a query or a symbol',
  operations: ({ filePath, ...input }, context) => searchSymbol.operations({ path: filePath, ...input }, context),
};

/** The tools of OpenCode. Its shell is always in the folder it works in, or in `workdir`. */
export const opencodeTools: ToolTable = {
  shell: 'fresh',
  rules: {
    read,
    write: writeTool('filePath', 'path'),
    edit: writeTool('filePath', 'path'),
    apply_patch: patch,
    grep: searchTool('pattern', 'query'),
    glob: searchTool('pattern', 'query'),
    bash: shellTool,
    skill: skillTool,
    lsp,
    task: subagentEndTool,
  },
};

function readResult({ output }: CallContext): Readonly<Record<string, unknown>> {
  const result = output !== undefined && 'context' in output ? output.result : undefined;
  return typeof result === 'object' && result !== null ? (result as Record<string, unknown>) : {};
}
