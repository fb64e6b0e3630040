import { defined } from '../../base/defined.ts';
import { listOperations, type RecordedCall } from './call-operations.ts';
import { changesOfDiff, type FileChange, type TextEdit } from './diff-changes.ts';
import { patchSections } from './patch-files.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the file changes that a call makes or would make; empty for a call that changes no files. A `patch` in the
 * result, a unified diff with line numbers, replaces requested texts that have no position.
 */
export function listFileChanges(call: RecordedCall): readonly FileChange[] {
  const changes = requestedChanges(call);
  const patch = textIn(readResult(call), ['patch']);
  if (changes.length === 0 || patch === undefined) return changes;
  const reported = changesOfDiff(patch, changes[0]?.path);
  return changes.map(change => {
    const found = change.action === 'update' ? reported.find(({ path }) => isSameFile(path, change.path)) : undefined;
    if (found?.patch === undefined || found.patch === '') return change;
    const { path, action, moveTo } = change;
    return { path, action, ...defined({ moveTo }), patch: found.patch };
  });
}

/** Whether a path is the other one, or the end of it. */
function isSameFile(one: string, other: string): boolean {
  const [long, short] = one.length < other.length ? [other, one] : [one, other];
  return long === short || long.endsWith(`/${short}`);
}

/** The changes that the input of a call describes. */
function requestedChanges(call: RecordedCall): readonly FileChange[] {
  const input = readFields(call.input);
  const writes = listOperations(call).flatMap(operation => (operation.type === 'write' ? [operation.path] : []));
  if (writes.length === 0) return [];
  const [path = ''] = writes;
  const patch = textIn(input, patchFields);
  if (patch !== undefined) {
    const blocks = [...patch.matchAll(block)].map(([, before = '', after = '']) => ({ before, after }));
    if (blocks.length > 0) return [{ path, action: 'update', edits: blocks }];
    const changes = patch.includes('*** ') ? changesOfPatch(patch) : changesOfDiff(patch, path);
    if (changes.length > 0) return changes;
  }
  const stated = readList(input['changes']).flatMap(change => statedChange(readFields(change)));
  if (stated.length > 0) return stated;
  const content = textIn(input, contentFields, true) ?? wholeText(input);
  const edits = content === undefined ? listEdits(input, readResult(call)) : [];
  if (edits.length > 0) return [{ path, action: 'update', edits }];
  if (content === undefined) return writes.map(each => ({ path: each, action: 'update' }));
  return [{ path, action: readResult(call)['created'] === true ? 'add' : 'update', content }];
}

function changesOfPatch(patch: string): readonly FileChange[] {
  return patchSections(patch).map(({ action, path, moveTo, lines }) => {
    if (action === 'delete') return { path, action };
    if (action === 'add') return { path, action, content: lines.map(line => `${line.slice(1)}\n`).join('') };
    return { path, action, ...defined({ moveTo }), patch: lines.join('\n').trimEnd() };
  });
}

/** A change that names its file, its kind and perhaps its diff. */
function statedChange({ path, kind, diff, movePath }: Fields): readonly FileChange[] {
  if (typeof path !== 'string') return [];
  const action = kind === 'add' || kind === 'delete' ? kind : 'update';
  const moveTo = typeof movePath === 'string' ? movePath : undefined;
  if (typeof diff !== 'string') return [{ path, action, ...defined({ moveTo }) }];
  const isContent = action === 'add' && !diff.startsWith('@@');
  return [{ path, action, ...defined({ moveTo }), ...(isContent ? { content: diff } : { patch: diff.trimEnd() }) }];
}

const patchFields = ['patch', 'patchText', 'input', 'diff'];
const beforeFields = ['old_string', 'oldString', 'oldText', 'old_str', 'old_text', 'before', 'TargetContent'];
const afterFields = ['new_string', 'newString', 'newText', 'new_str', 'new_text', 'after', 'ReplacementContent'];
const contentFields = ['content', 'file_text', 'new_source', 'contents', 'CodeContent'];
const editListFields = ['edits', 'ReplacementChunks'];
const pathFields = ['path', 'file_path', 'filePath', 'fileName', 'notebook_path', 'TargetFile'];

/** The arguments that a change shows: its file, and its texts. */
export const changeFields: ReadonlySet<string> = new Set([
  ...patchFields,
  ...beforeFields,
  ...afterFields,
  ...contentFields,
  ...editListFields,
  ...pathFields,
  'changes',
  'insert_line',
]);

/** The blocks of a text that is searched and its replacement, as Cline writes them. */
const block = /^[-<]{5,} ?SEARCH>?\n([^]*?)\n?={5,}\n([^]*?)\n?[+>]{5,} ?REPLACE>?$/gm;

function listEdits(input: Fields, result: Fields): readonly TextEdit[] {
  const inserted = typeof input['insert_line'] === 'number' ? input['insert_line'] + 1 : undefined;
  const line = typeof result['line'] === 'number' ? result['line'] : inserted;
  const list = editListFields.flatMap(name => readList(input[name]));
  return (list.length > 0 ? list : [input]).flatMap(value => {
    const edit = readFields(value);
    const before = textIn(edit, beforeFields, true);
    const after = textIn(edit, afterFields, true);
    if (before === undefined && after === undefined) return [];
    return [{ before: before ?? '', after: after ?? '', ...(list.length === 0 && defined({ line })) }];
  });
}

/** Returns the text that is the whole new file: the input has neither a text to replace nor an insertion line. */
function wholeText(input: Fields): string | undefined {
  const isPlaced = 'insert_line' in input || beforeFields.some(name => name in input);
  return isPlaced ? undefined : textIn(input, afterFields, true);
}

function textIn(fields: Fields, names: readonly string[], mayBeEmpty = false): string | undefined {
  const value = names.map(name => fields[name]).find(each => typeof each === 'string' && (mayBeEmpty || each !== ''));
  return typeof value === 'string' ? value : undefined;
}

function readResult({ output }: RecordedCall): Fields {
  return readFields(output !== undefined && 'context' in output ? output.result : undefined);
}

function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function readList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
