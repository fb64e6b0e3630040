import { listTool, readTool, searchTool, shellTool, subagentTool, writeTool } from '../tool-rules.ts';
import type { ToolInput, ToolRule, ToolTable } from '../tool-table.ts';

/** The rule for a tool whose input has other names. */
function renamed(rule: ToolRule, names: Readonly<Record<string, string>>): ToolRule {
  const rename = (input: ToolInput) =>
    Object.fromEntries(Object.entries(input).map(([name, value]) => [names[name] ?? name, value]));
  return {
    activity: rule.activity,
    operations: (input, context) => rule.operations(rename(input), context),
    ...(rule.command && { command: (input: ToolInput) => rule.command?.(rename(input)) }),
  };
}

const read = readTool('AbsolutePath', 'File', 'path');

/** A file is read from one line to another. */
const viewFile: ToolRule = {
  activity: read.activity,
  operations: (input, context) => {
    const { StartLine: start, EndLine: end } = input;
    const from = typeof start === 'number' ? start : 1;
    const range = {
      ...(typeof start === 'number' && { offset: start }),
      ...(typeof end === 'number' && { limit: end - from + 1 }),
    };
    return read.operations({ ...input, ...range }, context);
  },
};

/** The tools of Antigravity. */
export const antigravityTools: ToolTable = {
  shell: 'fresh',
  rules: {
    view_file: viewFile,
    view_file_outline: read,
    view_code_item: read,
    write_to_file: writeTool('TargetFile', 'path'),
    replace_file_content: writeTool('TargetFile', 'path'),
    multi_replace_file_content: writeTool('TargetFile', 'path'),
    grep_search: renamed(searchTool('Query', 'pattern'), { SearchPath: 'path', SearchDirectory: 'path' }),
    find_by_name: renamed(searchTool('Pattern', 'query'), { SearchDirectory: 'path', SearchPath: 'path' }),
    codebase_search: searchTool('Query', 'query'),
    list_dir: renamed(listTool, { DirectoryPath: 'path' }),
    run_command: renamed(shellTool, { CommandLine: 'command', Cwd: 'cwd' }),
    invoke_subagent: subagentTool,
  },
};
