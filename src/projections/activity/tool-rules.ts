import { defined } from '../../base/defined.ts';
import type { Operation } from './activity.ts';
import { getOutcome, getSuccess } from './outcome.ts';
import { patchFiles } from './patch-files.ts';
import { resolvePath } from './path.ts';
import { classifyShell } from './shell/classify-shell.ts';
import type { CallContext, ToolInput, ToolRule } from './tool-table.ts';

/** The tool is not activity: its call and its result are passed over. */
export const consumed: ToolRule = { activity: 'none: consumed', operations: () => [] };

/** A subagent is started: its run is the activity. A call that started no run failed, or is not understood. */
export const subagentTool: ToolRule = {
  activity: '`orchestration`, from the run of the subagent; `subagent_failed` or `unknown` when it has none',
  operations: (input, { output }) => {
    if (output === undefined || 'context' in output) return undefined;
    const name = input['subagent_type'] ?? input['agentId'];
    const subagent = typeof name === 'string' && name !== '' ? { subagentName: name } : {};
    return [{ type: 'orchestration', action: 'subagent_failed', ...subagent, isSuccess: false }];
  },
};

/** A call about subagents: the ends of their runs are the activity, if it reported any. */
export const subagentEndTool: ToolRule = {
  activity: '`orchestration`, when a run of a subagent ends with it; else `unknown`',
  operations: (_input, { output }) => {
    const result = output !== undefined && 'context' in output ? output.result : undefined;
    return typeof result === 'object' && result !== null && 'ended' in result ? [] : undefined;
  },
};

/** A rule for a tool that reads a file; `offset` and `limit` give the range. */
export function readTool(...pathFields: string[]): ToolRule {
  return {
    activity: '`read`',
    operations: (input, context) => {
      const path = pathIn(input, pathFields, context);
      return path === undefined
        ? undefined
        : [{ type: 'read', path, ...toRange(input), ...getSuccess(context.output) }];
    },
  };
}

/** A file is written. */
export function writeTool(...pathFields: string[]): ToolRule {
  return {
    activity: '`write`',
    operations: (input, context) => {
      const path = pathIn(input, pathFields, context);
      return path === undefined ? undefined : [{ type: 'write', path, ...getSuccess(context.output) }];
    },
  };
}

/** One write for each file that the markers of a patch name. */
export function patchTool(...patchFields: string[]): ToolRule {
  return {
    activity: 'one `write` for each file the patch names',
    operations: (input, { cwd, output }) => {
      const files = patchFiles(textIn(input, patchFields) ?? '');
      if (files.length === 0) return undefined;
      return files.map(({ path }) => ({ type: 'write', path: resolvePath(cwd, path), ...getSuccess(output) }));
    },
  };
}

/** Files are searched for, or searched in. */
export function searchTool(...queryFields: string[]): ToolRule {
  return {
    activity: '`search`',
    operations: (input, context) => {
      const query = textIn(input, queryFields);
      const path = pathIn(input, ['path', 'directory'], context);
      return query === undefined
        ? undefined
        : [{ type: 'search', query, ...defined({ path }), ...getSuccess(context.output) }];
    },
  };
}

/** A folder is listed: the one the agent works in when none is named. */
export const listTool: ToolRule = {
  activity: '`list`',
  operations: (input, context) => {
    const path = pathIn(input, ['path', 'directory'], context) ?? context.cwd;
    return [{ type: 'list', ...defined({ path }), ...getSuccess(context.output) }];
  },
};

/** A rule for a tool that uses a skill; its file is the one that the agent named, else the conventional one. */
export const skillTool: ToolRule = {
  activity: '`skill`',
  operations: (input, { cwd, output }) => {
    const skillName = textIn(input, ['skill', 'name', 'skill_name', 'command']);
    if (skillName === undefined) return undefined;
    const result = output !== undefined && 'context' in output ? output.result : undefined;
    const reported = typeof result === 'object' && result !== null && 'path' in result ? result.path : undefined;
    const path = typeof reported === 'string' ? reported : resolvePath(cwd, `skills/${skillName}/SKILL.md`);
    return [{ type: 'skill', path, skillName, ...getSuccess(output) }];
  },
};

/** A shell command, or the file operations that all of it is. */
export const shellTool: ToolRule = {
  activity: '`command`, or the `read`, `search` and `list` that all of it is',
  operations: (input, context) => {
    const command = commandIn(input);
    return command === undefined ? undefined : shellOperations(command, input, context);
  },
  command: commandIn,
};

function commandIn(input: ToolInput): string | undefined {
  return textIn(input, ['command', 'cmd']);
}

function shellOperations(command: string, input: ToolInput, context: CallContext): readonly Operation[] {
  const { isSuccess, exitCode } = getOutcome(context.output);
  const workingDirectory = textIn(input, ['workdir', 'cwd', 'working_directory']);
  const activity = classifyShell(command);
  if (activity === undefined)
    return [
      {
        type: 'command',
        command,
        ...defined({ workingDirectory, exitCode, isSuccess }),
      },
    ];
  const folder = workingDirectory === undefined ? context.shellCwd : resolvePath(context.shellCwd, workingDirectory);
  const { operations, allOrNothing, oneMeansNoMatch } = activity;
  return operations.map((operation, index) => {
    const isLast = index === operations.length - 1;
    const succeeded = oneMeansNoMatch && exitCode === 1 ? true : isSuccess;
    const isReported = operations.length === 1 || (succeeded === true && (allOrNothing || isLast));
    return { ...inFolder(operation, folder), ...(isReported && succeeded !== undefined && { isSuccess: succeeded }) };
  });
}

function inFolder(operation: Operation, folder: string | undefined): Operation {
  return 'path' in operation && operation.path !== undefined
    ? { ...operation, path: resolvePath(folder, operation.path) }
    : operation;
}

function textIn(input: ToolInput, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    const value = input[field];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

function pathIn(input: ToolInput, fields: readonly string[], { cwd }: CallContext): string | undefined {
  const path = textIn(input, fields);
  return path === undefined ? undefined : resolvePath(cwd, path);
}

function toRange({ offset, limit }: ToolInput): { startLine?: number; endLine?: number } {
  const start = isCount(offset) ? Math.max(1, offset) : undefined;
  if (!isCount(limit) || limit < 1) return start === undefined ? {} : { startLine: start };
  return { startLine: start ?? 1, endLine: (start ?? 1) + limit - 1 };
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
