import { useEffect } from 'react';
import { useLatest } from '../parts/use-latest.ts';

/** Keys and what they do: a character, `mod+k` for Ctrl or Cmd, `alt+n`, or two characters such as `g i`. */
export type Shortcuts = Readonly<Record<string, () => void>>;

/** How long the second key of a pair may take. */
const pairMs = 1200;

/**
 * Runs shortcuts while the component is mounted. Plain characters count only outside of fields and dialogs, but for `?` in
 * a message that is still empty; those with Alt also while a message is written.
 */
export function useShortcuts(shortcuts: Shortcuts, isActive = true): void {
  const latest = useLatest(shortcuts);
  useEffect(() => {
    if (!isActive) return undefined;
    let first: { readonly key: string; readonly at: number } | undefined;
    const onKey = (event: KeyboardEvent) => {
      const key = toKey(event);
      if (key === undefined || event.defaultPrevented || event.isComposing) return;
      if (!key.startsWith('mod+') && isTyping(event, key)) return;
      const pair = first !== undefined && event.timeStamp - first.at < pairMs ? `${first.key} ${key}` : undefined;
      const run = (pair === undefined ? undefined : latest.current[pair]) ?? latest.current[key];
      first = { key, at: event.timeStamp };
      if (run === undefined) return;
      event.preventDefault();
      first = undefined;
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isActive, latest]);
}

/** The name of a key press; undefined for one that no shortcut can have. */
export function toKey({
  key,
  code,
  ctrlKey,
  metaKey,
  altKey,
}: Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey'>): string | undefined {
  // With Alt a key may write another character, or none: its place counts.
  const letter = /^Key([A-Z])$/.exec(code)?.[1]?.toLowerCase();
  if (altKey) return ctrlKey || metaKey || letter === undefined ? undefined : `alt+${letter}`;
  if (key.length !== 1) return undefined;
  return ctrlKey || metaKey ? `mod+${key.toLowerCase()}` : key;
}

/** Whether the key belongs to a field that is typed in, or to a dialog. */
function isTyping({ target }: KeyboardEvent, key: string): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  if (key.startsWith('alt+') || (key === '?' && isEmptyMessage(target))) return false;
  return target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** Whether something is the field of the next message, and nothing is written in it. */
export function isEmptyMessage(target: EventTarget | null): boolean {
  return target instanceof HTMLTextAreaElement && target.closest('.composer') !== null && target.value === '';
}
