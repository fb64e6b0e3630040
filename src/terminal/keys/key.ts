/** A key with its modifiers; `text` is what it inserts. */
export interface Key {
  readonly type: 'key';
  /** A lower-case name: a character, or `enter`, `up`, `f5`. */
  readonly name: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly text?: string;
}

/** One input of a person or of the terminal. */
export type InputEvent =
  | Key
  /** Text that was pasted; `isComplete` is false when its end marker never arrived. */
  | { readonly type: 'paste'; readonly text: string; readonly isComplete: boolean }
  | { readonly type: 'focus'; readonly isFocused: boolean }
  /** An answer of the terminal to a query, as it was sent. */
  | { readonly type: 'reply'; readonly sequence: string };

/** The modifiers that were held. */
export interface Modifiers {
  readonly ctrl?: boolean;
  readonly alt?: boolean;
  readonly shift?: boolean;
}

/** Names of keys that legacy terminals send as Ctrl and a letter: they are one key in every terminal. */
const aliases: Readonly<Record<string, string>> = { 'ctrl+i': 'tab', 'ctrl+m': 'enter', 'ctrl+[': 'escape' };

/** Returns a key that inserts no text. */
export function namedKey(name: string, { ctrl = false, alt = false, shift = false }: Modifiers = {}): Key {
  const alias = ctrl ? aliases[`ctrl+${name}`] : undefined;
  return alias === undefined
    ? { type: 'key', name, ctrl, alt, shift }
    : { type: 'key', name: alias, ctrl: false, alt, shift };
}

/** Returns the key of a character: with Ctrl or Alt it inserts no text. */
export function characterKey(character: string, modifiers: Modifiers = {}): Key {
  const lower = character.toLowerCase();
  const isUpper = lower !== character && Array.from(lower).length === 1;
  const name = character === ' ' ? 'space' : isUpper ? lower : character;
  const { ctrl = false, alt = false } = modifiers;
  if (ctrl || alt) return namedKey(name, { ...modifiers, shift: modifiers.shift === true || isUpper });
  return { type: 'key', name, ctrl, alt, shift: isUpper, text: character };
}

/** Returns the notation of a key: `ctrl+alt+shift+name`. */
export function keyNotation({ name, ctrl, alt, shift }: Key): string {
  return [ctrl && 'ctrl', alt && 'alt', shift && 'shift', name].filter(part => part !== false).join('+');
}

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
