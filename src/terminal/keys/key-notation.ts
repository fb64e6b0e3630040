import { characterKey, keyNotation, namedKey } from './key.ts';

const names: ReadonlySet<string> = new Set([
  'enter',
  'tab',
  'escape',
  'backspace',
  'space',
  'delete',
  'insert',
  'home',
  'end',
  'pageup',
  'pagedown',
  'up',
  'down',
  'left',
  'right',
  'clear',
  ...Array.from({ length: 12 }, (_, index) => `f${index + 1}`),
]);

const synonyms: Readonly<Record<string, string>> = {
  esc: 'escape',
  return: 'enter',
  del: 'delete',
  bs: 'backspace',
  pgup: 'pageup',
  pgdn: 'pagedown',
  pgdown: 'pagedown',
  plus: '+',
  control: 'ctrl',
  meta: 'alt',
  option: 'alt',
};

/**
 * Returns the canonical notation of a key or a sequence of keys, such as `ctrl+x ctrl+e`; undefined when it names no
 * key.
 */
export function parseKeys(text: string): readonly string[] | undefined {
  const keys = text.trim().split(/\s+/).map(parseKey);
  return keys.includes(undefined) ? undefined : (keys as string[]);
}

function parseKey(text: string): string | undefined {
  const parts = (
    text.endsWith('++') ? [...text.slice(0, -2).split('+'), '+'] : text === '+' ? ['+'] : text.split('+')
  ).map(part => synonyms[part.toLowerCase()] ?? part);
  const last = parts.at(-1) ?? '';
  const modifiers = parts.slice(0, -1).map(part => part.toLowerCase());
  if (modifiers.some(modifier => !['ctrl', 'alt', 'shift'].includes(modifier))) return undefined;
  const held = { ctrl: modifiers.includes('ctrl'), alt: modifiers.includes('alt'), shift: modifiers.includes('shift') };
  if (names.has(last.toLowerCase())) return keyNotation(namedKey(last.toLowerCase(), held));
  if (Array.from(last).length !== 1 || /[\p{Cc}\s]/u.test(last)) return undefined;
  return keyNotation({ ...characterKey(last, held), ...(held.shift && { shift: true }) });
}

/** Returns keys for people: `Ctrl+X Ctrl+E`. */
export function shownKeys(keys: readonly string[]): string {
  return keys.map(shownKey).join(' ');
}

const shownNames: Readonly<Record<string, string>> = { escape: 'Esc', pageup: 'PgUp', pagedown: 'PgDn' };

function shownKey(key: string): string {
  const parts = key.endsWith('++') ? [...key.slice(0, -2).split('+'), '+'] : key === '+' ? ['+'] : key.split('+');
  const isModified = parts.length > 1;
  return parts
    .map(
      part => shownNames[part] ?? (part.length > 1 || isModified ? part.charAt(0).toUpperCase() + part.slice(1) : part),
    )
    .join('+');
}
