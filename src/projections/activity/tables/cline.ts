import { defined } from '../../../base/defined.ts';
import type { ToolOutput } from '../../../events/tools.ts';
import type { Operation } from '../activity.ts';
import { getOutcome } from '../outcome.ts';
import { resolvePath } from '../path.ts';
import { listTool, patchTool, searchTool, skillTool, subagentTool, writeTool } from '../tool-rules.ts';
import type { CallContext, ToolInput, ToolRule, ToolTable } from '../tool-table.ts';

type Outcome = ReturnType<typeof getOutcome>;

/** One operation for each item of a call, with its own exit code when the tool reported one; all or none succeeded. */
function batch(
  itemsOf: (input: ToolInput) => readonly unknown[],
  operationOf: (item: unknown, outcome: Outcome, context: CallContext) => Operation | undefined,
): ToolRule['operations'] {
  return (input, context) => {
    const items = itemsOf(input);
    const reported = outcomesIn(context.output);
    const whole = getOutcome(context.output);
    const isSuccess = reported === undefined ? whole.isSuccess : reported.every(outcome => outcome.isSuccess === true);
    const each = reported?.length === items.length ? reported : undefined;
    const operations = items.map((item, index) => {
      const { exitCode } = each?.[index] ?? whole;
      return operationOf(item, defined({ isSuccess, exitCode }), context);
    });
    return items.length > 0 && operations.every(operation => operation !== undefined) ? operations : undefined;
  };
}

function outcomesIn(output: ToolOutput | undefined): readonly Outcome[] | undefined {
  const result = output !== undefined && 'context' in output ? output.result : undefined;
  const items = typeof result === 'object' && result !== null && 'items' in result ? result.items : undefined;
  return Array.isArray(items) ? (items as readonly Outcome[]) : undefined;
}

/** Returns the items of the list, or the single value as a list. */
function listed(list: unknown, alone?: unknown): readonly unknown[] {
  if (Array.isArray(list)) return list;
  const only = list ?? alone;
  return only === undefined ? [] : [only];
}

function readField(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[field] : undefined;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isLine = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value) && value > 0;

const commandsIn = (input: ToolInput) => listed(input['commands'], input['command']);

function readCommand(item: unknown): string | undefined {
  const command = isText(item) ? item : readField(item, 'command');
  return isText(command) ? command : undefined;
}

const commands: ToolRule = {
  activity: 'one `command` for each command',
  command: input => {
    const lines = commandsIn(input).map(readCommand);
    return lines.length > 0 && lines.every(line => line !== undefined) ? lines.join('\n') : undefined;
  },
  operations: batch(commandsIn, (item, { isSuccess, exitCode }) => {
    const command = readCommand(item);
    if (command === undefined) return undefined;
    return {
      type: 'command',
      command,
      ...defined({ exitCode, isSuccess }),
    };
  }),
};

const reads: ToolRule = {
  activity: 'one `read` for each file',
  operations: batch(
    input => listed(input['files'], isText(input['path']) ? input : undefined),
    (item, { isSuccess }, { cwd }) => {
      const path = isText(item) ? item : readField(item, 'path');
      const [startLine, endLine] = [readField(item, 'start_line'), readField(item, 'end_line')];
      if (!isText(path)) return undefined;
      return {
        type: 'read',
        path: resolvePath(cwd, path),
        ...(isLine(startLine) && { startLine }),
        ...(isLine(endLine) && { endLine }),
        ...defined({ isSuccess }),
      };
    },
  ),
};

const oneSearch = searchTool('regex', 'query', 'pattern');
const searches: ToolRule = {
  activity: 'one `search` for each query',
  operations: (input, context) =>
    input['queries'] === undefined ? oneSearch.operations(input, context) : manySearches(input, context),
};
const manySearches = batch(
  input => listed(input['queries']),
  (query, { isSuccess }) => (isText(query) ? { type: 'search', query, ...defined({ isSuccess }) } : undefined),
);

const oldTool = /^(command|[a-z]+[A-Z][A-Za-z]*)$/;

/** The tools of Cline. The tools of versions before 3 have other names and are `unknown`. */
export const clineTools: ToolTable = {
  shell: 'fresh',
  isNamedOnlyByCall: name => oldTool.test(name),
  rules: {
    run_commands: commands,
    execute_command: commands,
    bash: commands,
    read_files: reads,
    read_file: reads,
    editor: writeTool('path'),
    write_to_file: writeTool('path'),
    replace_in_file: writeTool('path'),
    new_rule: writeTool('path'),
    apply_patch: patchTool('input', 'patch'),
    search_files: searches,
    search_codebase: searches,
    list_files: listTool,
    skills: skillTool,
    use_skill: skillTool,
    spawn_agent: subagentTool,
    team_run_task: subagentTool,
  },
};
