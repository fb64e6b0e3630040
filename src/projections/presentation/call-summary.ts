import { defined } from '../../events/defined.ts';
import { type CallStatus, type Operation, operationsOf, type ToolPart } from '../index.ts';
import { exitCodeOf } from '../activity/exit-code.ts';
import { gist } from './wording.ts';

/** One line about a call: what it does, and to what. */
export interface CallSummary {
  readonly verb: string;
  readonly object: string;
  readonly exitCode?: number;
}

type Words = readonly [asked: string, running: string, done: string];

const words: Record<Operation['type'], Words> = {
  command: ['Run', 'Running', 'Ran'],
  read: ['Read', 'Reading', 'Read'],
  write: ['Edit', 'Editing', 'Edited'],
  search: ['Search', 'Searching', 'Searched'],
  list: ['List', 'Listing', 'Listed'],
  skill: ['Use skill', 'Using skill', 'Used skill'],
  orchestration: ['Start', 'Starting', 'Started'],
};

/**
 * Returns the line about a call, in the words for what its agent's tool does; the tool's name when that is not known.
 * `nameOf` shortens paths; `operations` are those of the call, for callers that know them.
 */
export function callSummary(
  tool: Pick<ToolPart, 'name' | 'input' | 'output' | 'status' | 'inputText'>,
  nameOf: (path: string) => string = path => path,
  operations: readonly Operation[] = operationsOf(tool),
): CallSummary {
  const { name, input, status, inputText } = tool;
  const [first] = operations;
  if (first === undefined) return { verb: name || 'tool', object: 'input' in tool ? gist(input) : gist(inputText) };
  const objects = [...new Set(operations.map(operation => objectOf(operation, path => shortPath(nameOf(path)))))];
  const exitCode = exitCodeOf(tool);
  return {
    verb: words[first.type][tenseOf(status)],
    object: objects.join(', '),
    ...defined({ exitCode }),
  };
}

function tenseOf(status: CallStatus): 0 | 1 | 2 {
  if (status === 'done') return 2;
  return status === 'running' || status === 'preparing' ? 1 : 0;
}

function objectOf(operation: Operation, nameOf: (path: string) => string): string {
  switch (operation.type) {
    case 'command':
      return gist(operation.command);
    case 'search':
      return operation.path === undefined ? operation.query : `${operation.query} in ${nameOf(operation.path)}`;
    case 'read':
      return nameOf(operation.path) + rangeOf(operation);
    case 'skill':
      return operation.skillName ?? nameOf(operation.path);
    case 'orchestration':
      return operation.subagentName ?? 'a subagent';
    default:
      return operation.path === undefined ? 'the folder' : nameOf(operation.path);
  }
}

function rangeOf({ startLine, endLine }: { startLine?: number; endLine?: number }): string {
  if (startLine === undefined) return '';
  return endLine === undefined ? `:${startLine}` : `:${startLine}–${endLine}`;
}

/** Returns the end of a long path: the file and its folders. */
function shortPath(path: string): string {
  const parts = path.split('/');
  return path.length > 48 && parts.length > 4 ? `…/${parts.slice(-3).join('/')}` : path;
}

/** Formats the time between two moments; empty when one is not known. */
export function durationText(from: string | undefined, to: string | number | undefined): string {
  const ms = (typeof to === 'number' ? to : Date.parse(to ?? '')) - Date.parse(from ?? '');
  if (!Number.isFinite(ms) || ms < 0) return '';
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** Formats the size of a text: its lines, or its characters when it is one line. */
export function sizeText(text: string, lines: number): string {
  if (text === '') return '';
  if (lines > 1) return `${lines.toLocaleString('en')} lines`;
  return text.length < 1_000 ? '' : `${Math.round(text.length / 1_000).toLocaleString('en')}k characters`;
}
