import { characterKey, type InputEvent, type Modifiers, namedKey } from './key.ts';

/** How far an escape sequence has been read. */
export type SequenceState = 'complete' | 'incomplete';

/** The last characters of sequences with a parameter that names a key: `CSI 5 ~`. */
const tildeKeys: Readonly<Record<number, string>> = {
  1: 'home',
  2: 'insert',
  3: 'delete',
  4: 'end',
  5: 'pageup',
  6: 'pagedown',
  7: 'home',
  8: 'end',
  11: 'f1',
  12: 'f2',
  13: 'f3',
  14: 'f4',
  15: 'f5',
  17: 'f6',
  18: 'f7',
  19: 'f8',
  20: 'f9',
  21: 'f10',
  23: 'f11',
  24: 'f12',
};

const letterKeys: Readonly<Record<string, string>> = {
  A: 'up',
  B: 'down',
  C: 'right',
  D: 'left',
  E: 'clear',
  F: 'end',
  H: 'home',
  P: 'f1',
  Q: 'f2',
  R: 'f3',
  S: 'f4',
  M: 'enter',
};

/** Code points of keys without a character, as the kitty protocol numbers them. */
const kittyKeys: Readonly<Record<number, string>> = {
  9: 'tab',
  13: 'enter',
  27: 'escape',
  127: 'backspace',
  8: 'backspace',
  57_414: 'enter',
  57_417: 'left',
  57_418: 'right',
  57_419: 'up',
  57_420: 'down',
  57_421: 'pageup',
  57_422: 'pagedown',
  57_423: 'home',
  57_424: 'end',
  57_425: 'insert',
  57_426: 'delete',
};

/** The characters of the keys of a number pad, from 57399. */
const padCharacters = '0123456789./*-+';

/** Reports whether a text that starts with Escape is a whole sequence. */
export function sequenceState(sequence: string): SequenceState {
  const [, kind = ''] = sequence;
  if (kind === '' || kind === '\u001b') return sequence.length < 2 ? 'incomplete' : afterSecondEscape(sequence);
  if (kind === '[') return isWholeCsi(sequence) ? 'complete' : 'incomplete';
  if (kind === 'O') return /^.O[\d;]*[^\d;]$/su.test(sequence) ? 'complete' : 'incomplete';
  if (']P_^X'.includes(kind)) return isWholeString(sequence) ? 'complete' : 'incomplete';
  return 'complete';
}

/** Returns what a whole sequence means; nothing for a mouse report, the release of a key or what is not known. */
export function sequenceEvents(sequence: string): InputEvent[] {
  if (sequence.startsWith('\u001b\u001b')) return withAlt(sequenceEvents(sequence.slice(1)));
  const kind = sequence[1] ?? '';
  if (kind === '[') return csiEvents(sequence.slice(2), sequence);
  if (kind === 'O') return functionKey(sequence.at(-1) ?? '', parseModifiers(sequence.slice(2, -1).split(';').at(-1)));
  if (']P_^X'.includes(kind)) return [{ type: 'reply', sequence }];
  return withAlt(characterEvents(sequence.slice(1)));
}

/** Returns the key of one character that is no part of an escape sequence. */
export function characterEvents(character: string): InputEvent[] {
  const code = character.codePointAt(0) ?? 0;
  if (code === 0) return [namedKey('space', { ctrl: true })];
  if (code === 13) return [namedKey('enter')];
  if (code === 9) return [namedKey('tab')];
  if (code === 27) return [namedKey('escape')];
  if (code === 127) return [namedKey('backspace')];
  if (code < 32) return [namedKey(String.fromCharCode(code + (code <= 26 ? 96 : 64)), { ctrl: true })];
  if (code >= 128 && code < 160) return [];
  return [characterKey(character)];
}

/** Two Escapes are held back only when a sequence follows: some terminals send Alt this way. */
function afterSecondEscape(sequence: string): SequenceState {
  return sequence.length === 2 ? 'incomplete' : sequenceState(sequence.slice(1));
}

function isWholeCsi(sequence: string): boolean {
  const body = sequence.slice(2);
  if (body.startsWith('[')) return body.length >= 2;
  if (body.startsWith('M')) return body.length >= 4;
  // A character that cannot be a part of a sequence ends it.
  return body !== '' && !/^[\u0020-\u003f]*$/.test(body);
}

function isWholeString(sequence: string): boolean {
  return sequence.endsWith('\u0007') || (sequence.length > 3 && sequence.endsWith('\u001b\\'));
}

function csiEvents(body: string, sequence: string): InputEvent[] {
  if (body.startsWith('[')) return functionKey('PQRST'['ABCDE'.indexOf(body[1] ?? '')] ?? '', {});
  if (body.startsWith('M') || body.startsWith('<')) return [];
  const final = body.at(-1) ?? '';
  const parameters = body.slice(0, -1);
  if (parameters === '' && (final === 'I' || final === 'O')) return [{ type: 'focus', isFocused: final === 'I' }];
  if (/^[?>=]/.test(parameters) || (final === 'R' && parameters !== '')) return [{ type: 'reply', sequence }];
  if (final === 'Z') return [namedKey('tab', { shift: true })];
  const fields = parameters.split(';');
  const [first = '', second, third = ''] = fields;
  if (isRelease(second)) return [];
  const modifiers = parseModifiers(second);
  if (final === 'u') return codePointKey(first, modifiers, third);
  if (final === '~' && first === '27') return codePointKey(third, modifiers, '');
  if (final === '~' || final === '^' || final === '@' || final === '$') {
    const name = tildeKeys[Number(first)];
    return name === undefined ? [] : [namedKey(name, { ...modifiers, ...suffixModifiers[final] })];
  }
  return functionKey(final, modifiers);
}

/** The modifiers that rxvt expresses by the last character. */
const suffixModifiers: Readonly<Record<string, Modifiers>> = {
  '^': { ctrl: true },
  '@': { ctrl: true, shift: true },
  $: { shift: true },
};

function functionKey(final: string, modifiers: Modifiers): InputEvent[] {
  if (final === 'T') return [namedKey('f5', modifiers)];
  const name = letterKeys[final];
  return name === undefined ? [] : [namedKey(name, modifiers)];
}

/** A key by its code point; `code` is `key:shifted:base`. */
function codePointKey(code: string, modifiers: Modifiers, text: string): InputEvent[] {
  const [plain = 0, shifted = 0] = code.split(':').map(Number);
  const name = kittyKeys[plain];
  if (name !== undefined) return [namedKey(name, modifiers)];
  const pad = plain >= 57_399 && plain <= 57_413 ? padCharacters[plain - 57_399] : undefined;
  if (pad !== undefined) return [characterKey(pad, modifiers)];
  if ((plain >= 57_344 && plain <= 63_743) || plain < 32 || plain > 0x10_ffff || Number.isNaN(plain)) return [];
  const character = String.fromCodePoint(plain);
  if (modifiers.ctrl || modifiers.alt) return [characterKey(character, modifiers)];
  const typed = Number(text.split(':')[0]) || (modifiers.shift ? shifted : 0);
  if (typed > 31 && typed <= 0x10_ffff) return [characterKey(String.fromCodePoint(typed))];
  return [characterKey(modifiers.shift ? character.toUpperCase() : character)];
}

/** `modifiers:event`, where modifiers is a bit mask plus one: shift, alt, ctrl, super, hyper, meta. */
function parseModifiers(field = ''): Modifiers {
  const mask = Math.max(0, (Number(field.split(':')[0]) || 1) - 1);
  return { shift: (mask & 1) !== 0, alt: (mask & 2) !== 0 || (mask & 32) !== 0, ctrl: (mask & 4) !== 0 };
}

function isRelease(field = ''): boolean {
  return field.split(':')[1] === '3';
}

function withAlt(events: readonly InputEvent[]): InputEvent[] {
  return events.map(event => {
    if (event.type !== 'key') return event;
    const { text: _, ...key } = event;
    return { ...key, alt: true };
  });
}
