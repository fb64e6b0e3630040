import { getSuccess } from '../outcome.ts';
import { shellTool, subagentEndTool, subagentTool } from '../tool-rules.ts';
import type { ToolRule, ToolTable } from '../tool-table.ts';

const fileChange: ToolRule = {
  activity: 'one `write` for each changed path',
  operations: ({ changes }, { output }) => {
    if (!Array.isArray(changes)) return undefined;
    const paths = changes.map((change: unknown) =>
      typeof change === 'object' && change !== null && 'path' in change ? change.path : undefined,
    );
    if (paths.length === 0 || !paths.every(path => typeof path === 'string')) return undefined;
    return paths.map(path => ({ type: 'write', path, ...getSuccess(output) }));
  },
};

/** The tools of Codex, by the types of its items; paths of commands are as written, since it reports no folder. */
export const codexTools: ToolTable = {
  shell: 'unknown',
  isReasoningUnknown: true,
  rules: {
    command_execution: shellTool,
    exec_command: shellTool,
    file_change: fileChange,
    spawn_agent: subagentTool,
    wait: subagentEndTool,
    close_agent: subagentEndTool,
  },
};
