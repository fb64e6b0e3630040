import { defined } from '../../base/defined.ts';
import { plainText } from '../../base/terminal-text.ts';
import type { Operation } from '../activity/activity.ts';
import { findCommand, listOperations, type RecordedCall } from '../activity/call-operations.ts';
import { changesOfDiff, type FileChange } from '../activity/diff-changes.ts';
import { readExitCode } from '../activity/outcome.ts';
import { listFileChanges } from '../activity/file-changes.ts';
import type { CallStatus, RelayPart, ToolPart } from '../reading/view-node.ts';
import { scriptOfLine } from '../shell/shell-line.ts';
import { pathName } from './path-name.ts';

/** The agent that calls, and the folder it works in: paths inside it are shown without it. */
export interface CallPlace {
  readonly agentId?: string | undefined;
  readonly cwd?: string | undefined;
}

/** A call as far as its words depend on it. */
export type PresentableCall = Pick<ToolPart, 'name'> &
  Partial<Pick<ToolPart, 'input' | 'output' | 'status' | 'relays'>>;

/** The display of a call, in the same form for every agent. */
export interface CallPresentation {
  readonly kind: Operation['type'] | 'question' | 'plan' | 'tasks' | 'other';
  /** The action of the call, in the tense of its status. */
  readonly verb: string;
  /** To what, on one line: a command, files, a query; the name and first values of a tool that is not known. */
  readonly object: string;
  /** The file or folder that it is about, when it is one. */
  readonly path?: string;
  /** The shell line that it runs, exactly. */
  readonly command?: string;
  readonly exitCode?: number;
}

type Words = readonly [asked: string, running: string, done: string];

const words: Readonly<Record<Exclude<CallPresentation['kind'], 'write'>, Words>> = {
  command: ['Run', 'Running', 'Ran'],
  read: ['Read', 'Reading', 'Read'],
  search: ['Search', 'Searching', 'Searched'],
  list: ['List', 'Listing', 'Listed'],
  skill: ['Load skill', 'Loading skill', 'Loaded skill'],
  orchestration: ['Start agent', 'Agent', 'Agent'],
  question: ['Ask', 'Asking', 'Asked'],
  plan: ['Propose', 'Proposing', 'Proposed'],
  tasks: ['Change', 'Changing', 'Changed'],
  other: ['Call', 'Calling', 'Called'],
};
const writeWords: Readonly<Record<'add' | 'update' | 'delete', Words>> = {
  add: ['Write', 'Writing', 'Wrote'],
  update: ['Edit', 'Editing', 'Edited'],
  delete: ['Delete', 'Deleting', 'Deleted'],
};

/** The tools with which an agent of ours speaks to a person: their names are never shown. */
const ownTools: Readonly<Record<string, readonly [kind: 'question' | 'plan' | 'tasks', object: string]>> = {
  ask_user: ['question', 'a question'],
  submit_plan: ['plan', 'a plan'],
  task_write: ['tasks', 'the tasks'],
  task_update: ['tasks', 'the tasks'],
  task_complete: ['tasks', 'the tasks'],
  task_check: ['tasks', 'the tasks'],
};

/** Returns what a person reads of a call. */
export function presentCall(call: PresentableCall, place: CallPlace = {}): CallPresentation {
  const { kind, tenses, ...about } = describe({ ...call, ...place }, call.relays ?? [], place.cwd);
  const exitCode = readExitCode(call);
  return { kind, verb: tenses[tenseIn(call.status ?? 'waiting')], ...about, ...defined({ exitCode }) };
}

/** Returns whether a call is shown as a row; its question to a person or its task list may be shown instead. */
export function isShownAsCall({ name, status, relays }: Pick<ToolPart, 'name' | 'status' | 'relays'>): boolean {
  if (relays.some(isAskedAlone)) return false;
  const isFailed = status === 'failed' || status === 'denied' || status === 'unknown';
  return isFailed || !Object.hasOwn(ownTools, name);
}

/** Returns whether a relay is a question or a plan, which is shown instead of its call. */
export function isAskedAlone({ relay: { relayKind } }: Pick<RelayPart, 'relay'>): boolean {
  return relayKind === 'question' || relayKind === 'plan';
}

/** Returns what a call changes in files: as it was asked about, else as its input and result have it. */
export function presentChanges(call: PresentableCall, place: CallPlace = {}): readonly FileChange[] {
  const asked = (call.relays ?? []).flatMap(({ relay }) =>
    relay.relayKind === 'permission' && relay.diff !== undefined ? changesOfDiff(relay.diff, '') : [],
  );
  return asked.length > 0 ? asked : listFileChanges({ ...call, agentId: place.agentId });
}

function tenseIn(status: CallStatus): 0 | 1 | 2 {
  if (status === 'done' || status === 'failed') return 2;
  return status === 'running' || status === 'preparing' || status === 'unknown' ? 1 : 0;
}

type Description = Pick<CallPresentation, 'kind' | 'object' | 'path' | 'command'> & { readonly tenses: Words };

function describe(call: RecordedCall, relays: readonly RelayPart[], cwd: string | undefined): Description {
  const own = Object.hasOwn(ownTools, call.name) ? ownTools[call.name] : undefined;
  if (own !== undefined) return { kind: own[0], tenses: words[own[0]], object: own[1] };
  const asked = relays.map(({ relay }) => (relay.relayKind === 'permission' ? relay.command : undefined)).find(Boolean);
  const command = asked ?? findCommand(call);
  if (command !== undefined) {
    const object = oneLine(scriptOfLine(command) ?? command);
    return { kind: 'command', tenses: words.command, object, command };
  }
  const operations = listOperations(call);
  const [first] = operations;
  if (first === undefined) return { kind: 'other', tenses: words.other, object: callText(call) };
  const objects = [...new Set(operations.map(operation => describeObject(operation, cwd)))];
  const path = operations.length === 1 && 'path' in first ? first.path : undefined;
  const kind = first.type;
  const tenses = kind === 'write' ? writeWords[getAction(call)] : words[kind];
  return { kind, tenses, object: oneLine(objects.join(', ')), ...defined({ path }) };
}

/** Returns whether a call writes whole files, deletes files, or edits them. */
function getAction(call: RecordedCall): FileChange['action'] {
  const changes = listFileChanges(call);
  const isAll = (is: (change: FileChange) => boolean) => changes.length > 0 && changes.every(is);
  if (isAll(({ action, content }) => action === 'add' || content !== undefined)) return 'add';
  return isAll(({ action }) => action === 'delete') || /^delete/i.test(call.name) ? 'delete' : 'update';
}

function describeObject(operation: Operation, cwd: string | undefined): string {
  switch (operation.type) {
    case 'command':
      return scriptOfLine(operation.command) ?? operation.command;
    case 'search':
      return (
        JSON.stringify(operation.query) + (operation.path === undefined ? '' : ` in ${pathName(operation.path, cwd)}`)
      );
    case 'read':
      return pathName(operation.path, cwd) + formatRange(operation);
    case 'skill':
      return operation.skillName ?? pathName(operation.path, cwd);
    case 'orchestration':
      return operation.subagentName ?? '';
    default:
      return pathName(operation.path ?? '.', cwd);
  }
}

function formatRange({ startLine, endLine }: { startLine?: number; endLine?: number }): string {
  return startLine === undefined ? '' : `:${startLine}-${endLine ?? ''}`;
}

/** A call of a tool that is no activity of a known kind: its name and the first short values of its input. */
function callText({ name, input }: RecordedCall): string {
  const values = Object.values(typeof input === 'object' && input !== null ? input : {}).flatMap((value: unknown) =>
    typeof value === 'string' || typeof value === 'number' ? [String(value)] : [],
  );
  return oneLine([name.replaceAll('__', ' '), ...values.slice(0, 2).map(value => oneLine(value, 60))].join(' '));
}

/** Returns a text on one line, cut at a length. */
export function oneLine(text: string, most = 160): string {
  const line = plainText(text).replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1)}…`;
}
