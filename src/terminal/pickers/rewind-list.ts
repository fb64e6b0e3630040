import type { PickerEntry } from './list-picker.ts';

/** A message to which a thread can go back. */
export interface RewindTarget {
  readonly messageId: string;
  readonly text: string;
  /** How long ago it was sent, in words. */
  readonly age: string;
}

/** The files that a rewind changes. */
export interface RewindFile {
  readonly path: string;
  readonly action: 'create' | 'change' | 'delete' | 'none';
  /** Whether somebody else changed it since. */
  readonly isConflict: boolean;
}

/** The id of the entry that changes nothing, and of the one that goes forward again. */
export const nowEntry = 'now';
export const forwardEntry = 'forward';

/** Returns the messages as entries, the oldest first; the last entry is the present, which is marked first. */
export function rewindEntries(targets: readonly RewindTarget[], canGoForward: boolean): readonly PickerEntry[] {
  return [
    ...targets.map(({ messageId, text, age }) => ({
      id: messageId,
      label: text,
      detail: age,
      preview: text.split('\n'),
    })),
    { id: nowEntry, label: '(now)', detail: 'change nothing' },
    ...(canGoForward
      ? [{ id: forwardEntry, label: '(forward again)', detail: 'return to where the rewind began' }]
      : []),
  ];
}

const signs = { create: '+', change: '±', delete: '−', none: ' ' } as const;

/** Returns what can be taken back; the conversation alone comes first when others have touched the files. */
export function scopeEntries(files: readonly RewindFile[]): readonly PickerEntry[] {
  const changed = files.filter(({ action }) => action !== 'none');
  const conflicts = changed.filter(({ isConflict }) => isConflict).length;
  const lines = changed.map(
    ({ path, action, isConflict }) => `${signs[action]} ${path}${isConflict ? ' (changed by others since: kept)' : ''}`,
  );
  const count = `${changed.length} ${changed.length === 1 ? 'file' : 'files'}${conflicts > 0 ? `, ${conflicts} changed by others` : ''}`;
  const both = { id: 'both', label: 'files and conversation', detail: count, preview: lines };
  const conversation = { id: 'conversation', label: 'conversation only', detail: 'files stay as they are' };
  const onlyFiles = { id: 'files', label: 'files only', detail: count, preview: lines };
  if (changed.length === 0) return [conversation];
  return conflicts > 0 ? [conversation, both, onlyFiles] : [both, conversation, onlyFiles];
}
