import { defined } from '../../base/defined.ts';
import type { EventOf } from '../../events/vocabulary.ts';
import { type FileChange, changesOfDiff } from '../../projections/activity/diff-changes.ts';
import { listFileChanges } from '../../projections/activity/file-changes.ts';
import { buildFileDiff } from '../../projections/activity/file-diff.ts';
import { resolvePath } from '../../projections/activity/path.ts';
import type { CallStatus, ToolPart } from '../../projections/reading/view-node.ts';
import type { Operation } from '../../projections/activity/activity.ts';
import { listOperations } from '../../projections/activity/call-operations.ts';
import { outputView } from '../../projections/presentation/call-output.ts';
import { presentCall } from '../../projections/presentation/present-call.ts';
import { presentRelay } from '../../projections/presentation/present-relay.ts';
import { getResult } from '../request/shown-call.ts';
import type { AcpCall, AcpCallContent, AcpCallKind, AcpCallStatus } from './acp-update.ts';

/** Where a call was made. */
export interface CallPlace {
  /** The folder that relative paths are in. */
  readonly cwd?: string | undefined;
  /** The subagent that made it; absent for the agent of the turn. */
  readonly subagent?: string | undefined;
}

/** The parts of a call that are known in a stream as well as in the reading view. */
export type ShownCall = Pick<ToolPart, 'id' | 'name' | 'status' | 'input' | 'output'> & { readonly inputText?: string };

const statuses: Record<CallStatus, AcpCallStatus> = {
  preparing: 'pending',
  waiting: 'pending',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  denied: 'failed',
  skipped: 'failed',
  unknown: 'failed',
};

const kinds: Record<Operation['type'], AcpCallKind> = {
  command: 'execute',
  read: 'read',
  write: 'edit',
  search: 'search',
  list: 'search',
  skill: 'read',
  orchestration: 'other',
};

/** Returns a call as an editor shows it: its line of activity, its diffs or its output, and the files it touches. */
export function toAcpCall(call: ShownCall, { cwd, subagent }: CallPlace): AcpCall {
  const { id, name, input, output, status } = call;
  const operations = listOperations({ name, input, output });
  const isChange = operations.some(({ type }) => type === 'write');
  const changes = isChange ? listFileChanges({ name, input, output }) : [];
  const locations = operations.flatMap(operation => findLocations(operation, cwd));
  const content = [...changes.flatMap(change => toDiffs(change, cwd)), ...toOutputContent(call, changes.length > 0)];
  return {
    toolCallId: id,
    title: describeCall(call, { cwd, subagent }),
    ...(name !== '' && { name }),
    kind: findKind(name, operations, changes),
    status: statuses[status],
    ...(content.length > 0 && { content }),
    ...(locations.length > 0 && { locations }),
    ...defined({ rawInput: input }),
    ...toRawOutput(output),
  };
}

/** Returns the fields of a shown call that its result changes. */
export function toAcpResult(shown: AcpCall, call: ShownCall, place: CallPlace): Partial<AcpCall> {
  const { output, status } = call;
  // The result of a change may know where in its files the change is.
  if (shown.kind === 'edit' || shown.kind === 'move') {
    const { content, locations } = toAcpCall(call, place);
    return { status: statuses[status], ...defined({ content, locations }), ...toRawOutput(output) };
  }
  const content = [...(shown.content ?? []), ...toOutputContent(call, shown.content !== undefined)];
  return { status: statuses[status], ...(content.length > 0 && { content }), ...toRawOutput(output) };
}

function toRawOutput(output: ShownCall['output']): Pick<AcpCall, 'rawOutput'> {
  return output === undefined ? {} : { rawOutput: 'context' in output ? getResult(output) : output };
}

/** Returns a relay without a call as a separate call, because an editor shows requests only together with a call. */
export function toRelayCall(relay: EventOf<'relay'>, status: AcpCallStatus, { cwd }: CallPlace): AcpCall {
  const { title, plan, fields } = presentRelay(relay, { cwd });
  const text =
    relay.relayKind === 'question' ? title : (plan ?? fields.map(({ name, value }) => `${name}: ${value}`).join('\n'));
  return {
    toolCallId: relay.id,
    title: relay.relayKind === 'plan' ? describePlan(relay) : title,
    kind: relay.relayKind === 'plan' ? 'switch_mode' : 'other',
    status,
    ...(text !== '' && { content: [toTextContent(text)] }),
  };
}

/** Returns the details that a permission request adds to its call: the exact command, or the diff of the files. */
export function describePermission(relay: EventOf<'relay'>, cwd: string | undefined): readonly AcpCallContent[] {
  if (relay.relayKind !== 'permission') return [];
  if (relay.command !== undefined) return [toTextContent(`$ ${relay.command}`)];
  return relay.diff === undefined ? [] : changesOfDiff(relay.diff).flatMap(change => toDiffs(change, cwd));
}

export function toTextContent(text: string): AcpCallContent {
  return { type: 'content', content: { type: 'text', text } };
}

function describePlan({ title }: { readonly title?: string | undefined }): string {
  return title === undefined ? 'Approve the plan' : `Approve the plan: ${title}`;
}

/** Returns a title that is the same in every state, because an editor shows the status separately. */
function describeCall({ name, input }: ShownCall, { cwd, subagent }: CallPlace): string {
  const { verb, object } = presentCall({ name, input }, { cwd });
  const line = object === '' ? verb : `${verb} ${object}`;
  return subagent === undefined ? line : `${subagent}: ${line}`;
}

function findKind(name: string, [first]: readonly Operation[], changes: readonly FileChange[]): AcpCallKind {
  if (changes.length > 0 && changes.every(({ action }) => action === 'delete')) return 'delete';
  if (changes.length > 0 && changes.every(({ moveTo }) => moveTo !== undefined)) return 'move';
  if (first !== undefined) return kinds[first.type];
  return /fetch|web/i.test(name) ? 'fetch' : name === 'repl' ? 'execute' : 'other';
}

function findLocations(operation: Operation, cwd: string | undefined): { path: string; line?: number }[] {
  if (!('path' in operation) || operation.path === undefined) return [];
  const path = resolvePath(cwd, operation.path);
  const line = 'startLine' in operation ? operation.startLine : undefined;
  return path.startsWith('/') ? [{ path, ...defined({ line }) }] : [];
}

/** The texts before and after a change; in words when the protocol has no diff for it. */
function toDiffs(change: FileChange, cwd: string | undefined): AcpCallContent[] {
  const path = resolvePath(cwd, change.moveTo ?? change.path);
  if (change.action === 'delete') return [toTextContent(`Delete ${change.path}`)];
  if (!path.startsWith('/')) return [];
  const { content, edits = [], patch } = change;
  if (content !== undefined) return [{ type: 'diff', path, oldText: null, newText: content }];
  if (patch === undefined)
    return edits.map(({ before, after }) => ({ type: 'diff', path, oldText: before, newText: after }));
  return buildFileDiff(change).hunks.map(({ lines }) => {
    const textWithout = (kind: 'added' | 'removed') =>
      lines.flatMap(line => (line.kind === kind ? [] : `${line.text}\n`)).join('');
    return { type: 'diff', path, oldText: textWithout('added'), newText: textWithout('removed') };
  });
}

/** Returns the output of a call; a successful file change is shown by its diffs only. */
function toOutputContent({ output }: ShownCall, hasDiffs: boolean): AcpCallContent[] {
  if (output === undefined || (hasDiffs && 'context' in output)) return [];
  const { text, images } = outputView(output);
  return [
    ...(text === '' ? [] : [toTextContent(text)]),
    ...images.map(({ data, mediaType }): AcpCallContent => {
      return { type: 'content', content: { type: 'image', data, mimeType: mediaType } };
    }),
  ];
}
