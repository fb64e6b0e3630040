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
