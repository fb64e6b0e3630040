import { defined } from '../../events/defined.ts';
import type { Operation } from '../../projections/activity/index.ts';
import { toolTables } from '../../projections/activity/index.ts';
import { nativeTools } from '../../projections/activity/tables/native.ts';
import { ruleFor } from '../../projections/activity/tool-table.ts';
import type { ToolPart } from '../../projections/index.ts';
import { plainText } from '../../events/terminal-text.ts';
import { pathFrom } from './path-from.ts';

/** What a call does, in words: a verb for before it, one for while it runs, one for after it, and its object. */
export interface ToolWords {
  readonly kind: Operation['type'] | 'other';
  readonly toDo: string;
  readonly doing: string;
  readonly done: string;
  readonly object: string;
  /** The file or folder that it is about, when it is one. */
  readonly path?: string;
}

export interface ToolPlace {
  /** The agent that calls. */
  readonly agentId?: string | undefined;
  /** The folder it works in: paths inside it are shown without it. */
  readonly cwd: string;
}

/** A call as far as its words depend on it. */
export type NamedCall = Pick<ToolPart, 'name' | 'input' | 'relays'> & Partial<Pick<ToolPart, 'output'>>;

/** Names what a call does, the same for every agent. */
export function toolWords(part: NamedCall, { agentId, cwd }: ToolPlace): ToolWords {
  const input = typeof part.input === 'object' && part.input !== null ? (part.input as Record<string, unknown>) : {};
  const table = (agentId !== undefined && toolTables[agentId]) || nativeTools;
  const command = commandOf(part, input);
  if (command !== undefined) return commandWords(command);
  const operations = ruleFor(table, part.name)?.operations(input, { cwd, output: part.output }) ?? [];
  const [first] = operations;
  if (first === undefined)
    return { kind: 'other', toDo: 'Call', doing: 'Calling', done: 'Called', object: callText(part, input) };
  const words = wordsOf(first, input, path => pathFrom(cwd, path));
  const more =
    operations.length > 1
      ? `, ${operations
          .slice(1)
          .map(each => ('path' in each ? pathFrom(cwd, each.path ?? '') : each.type))
          .join(', ')}`
      : '';
  const path = operations.length === 1 && 'path' in first ? first.path : undefined;
  return { ...words, object: oneLine(words.object + more), ...defined({ path }) };
}

function wordsOf(operation: Operation, input: Record<string, unknown>, shown: (path: string) => string): ToolWords {
  const kind = operation.type;
  switch (kind) {
    case 'command':
      return commandWords(operation.command);
    case 'read': {
      const { startLine, endLine } = operation;
      const range = startLine === undefined ? '' : `:${startLine}${endLine === undefined ? '-' : `-${endLine}`}`;
      return { kind, toDo: 'Read', doing: 'Reading', done: 'Read', object: shown(operation.path) + range };
    }
    case 'write': {
      const isNew = typeof input['content'] === 'string' || typeof input['file_text'] === 'string' || onlyAdds(input);
      return {
        kind,
        toDo: isNew ? 'Write' : 'Edit',
        doing: isNew ? 'Writing' : 'Editing',
        done: isNew ? 'Wrote' : 'Edited',
        object: shown(operation.path),
      };
    }
    case 'search': {
      const where = operation.path === undefined ? '' : ` in ${shown(operation.path)}`;
      return {
        kind,
        toDo: 'Search',
        doing: 'Searching',
        done: 'Searched',
        object: `${JSON.stringify(operation.query)}${where}`,
      };
    }
    case 'list':
      return { kind, toDo: 'List', doing: 'Listing', done: 'Listed', object: shown(operation.path ?? '.') };
    case 'skill':
      return {
        kind,
        toDo: 'Load skill',
        doing: 'Loading skill',
        done: 'Loaded skill',
        object: operation.skillName ?? shown(operation.path),
      };
    case 'orchestration':
      return { kind, toDo: 'Start agent', doing: 'Agent', done: 'Agent', object: operation.subagentName ?? '' };
    default:
      return operation satisfies never;
  }
}

/** Whether all files that a call lists as its changes are new. */
function onlyAdds({ changes }: Record<string, unknown>): boolean {
  return (
    Array.isArray(changes) &&
    changes.length > 0 &&
    changes.every(change => (change as { kind?: unknown } | null)?.kind === 'add')
  );
}

function commandWords(command: string): ToolWords {
  return { kind: 'command', toDo: 'Run', doing: 'Running', done: 'Ran', object: `$ ${oneLine(command)}` };
}

/** The command line of a call of a shell; the activity would show it as what it does. */
function commandOf({ name, relays }: NamedCall, input: Record<string, unknown>): string | undefined {
  const asked = relays.map(({ relay }) => (relay.relayKind === 'permission' ? relay.command : undefined)).find(Boolean);
  if (asked !== undefined) return asked;
  if (
    !/^(?:bash|shell|execute_command|run_shell_command|exec_command|local_shell|run_terminal_cmd|developer__shell)$/i.test(
      name,
    )
  )
    return undefined;
  const { command, cmd } = input;
  if (typeof command === 'string') return command;
  if (Array.isArray(command)) return command.map(String).join(' ');
  return typeof cmd === 'string' ? cmd : undefined;
}

/** A call of a tool that is no activity of a known kind: its name and the first short values of its input. */
function callText({ name }: NamedCall, input: Record<string, unknown>): string {
  const values = Object.values(input).flatMap(value =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
  return oneLine([name.replaceAll('__', ' '), ...values.slice(0, 2).map(value => oneLine(value, 60))].join(' '));
}

/** Returns a text on one line, cut at a length. */
export function oneLine(text: string, most = 160): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
