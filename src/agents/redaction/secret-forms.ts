/** A state of the automaton that reads secrets: the transitions of each character, possibly to several states. */
export class FormNode {
  readonly next = new Map<number, FormNode[]>();
  /** The minimum number of characters that lead here. */
  readonly depth: number;
  /** Whether a whole secret was read. */
  isEnd = false;

  constructor(depth: number) {
    this.depth = depth;
  }

  to(character: string, node: FormNode = new FormNode(this.depth + 1)): FormNode {
    const code = character.charCodeAt(0);
    this.next.set(code, [...(this.next.get(code) ?? []), node]);
    return node;
  }
}

/**
 * Returns the automaton of all forms of the secrets: plain, escaped for JSON or a shell (any number of times),
 * URL-encoded, and as base64 or base64url inside a longer text, at each of the three alignments.
 */
export function buildForms(secrets: Iterable<string>): FormNode {
  const root = new FormNode(0);
  for (const secret of secrets) {
    let node = root;
    for (const character of secret) node = readCharacter(node, character);
    node.isEnd = true;
    for (const before of [0, 1, 2]) readBase64(root, Buffer.from(secret), before);
  }
  return root;
}

/** Characters that no encoder changes. */
const asIs = /^[A-Za-z0-9._-]$/;
const named: Readonly<Record<string, string>> = { '\n': 'n', '\r': 'r', '\t': 't', '\b': 'b', '\f': 'f' };

/** Adds all ways to write a character, from one state to the next. */
function readCharacter(from: FormNode, character: string): FormNode {
  const units = character.split('');
  const to = new FormNode(from.depth + 1);
  readText(from, units, to);
  if (asIs.test(character)) return to;
  if (character === '\\') repeatBackslash(to);
  else {
    const escaped = backslashes(from);
    const escape = named[character] ?? character;
    readText(escaped, escape.split(''), to);
    readPercent(escaped, Buffer.from(escape), to);
  }
  readUnicode(from, units, to);
  readPercent(from, Buffer.from(character), to);
  if (character === ' ') from.to('+', to);
  return to;
}

function readText(from: FormNode, characters: readonly string[], to: FormNode): void {
  const last = characters.slice(0, -1).reduce((node, character) => node.to(character), from);
  last.to(characters.at(-1) as string, to);
}

/** In a URL a backslash is encoded too. */
function repeatBackslash(node: FormNode): void {
  node.to('\\', node);
  readPercent(node, backslash, node);
}

/** One backslash or more: each embedding in JSON adds some. */
function backslashes(from: FormNode): FormNode {
  const some = from.to('\\');
  readPercent(from, backslash, some);
  repeatBackslash(some);
  return some;
}

const backslash = Buffer.from('\\');

function readUnicode(from: FormNode, units: readonly string[], to: FormNode): void {
  let node = from;
  for (const [index, unit] of units.entries()) {
    const hex = unit.charCodeAt(0).toString(16).padStart(4, '0');
    node = readHex(backslashes(node).to('u'), hex, index === units.length - 1 ? to : undefined);
  }
}

/** Percent signs may be encoded again: `%2522`. */
function readPercent(from: FormNode, bytes: Buffer, to: FormNode): void {
  let node = from;
  for (const [index, byte] of bytes.entries()) {
    const percent = node.to('%');
    percent.to('2').to('5', percent);
    node = readHex(percent, byte.toString(16).padStart(2, '0'), index === bytes.length - 1 ? to : undefined);
  }
}

function readHex(from: FormNode, hex: string, to: FormNode | undefined): FormNode {
  let node = from;
  for (const [index, digit] of hex.split('').entries()) {
    const next = (index === hex.length - 1 ? to : undefined) ?? new FormNode(node.depth + 1);
    for (const spelling of new Set([digit, digit.toUpperCase()])) node.to(spelling, next);
    node = next;
  }
  return node;
}

/** Returns the base64 characters that only the secret determines, after this many bytes of a group. */
function readBase64(root: FormNode, secret: Buffer, before: number): void {
  const whole = Buffer.concat([Buffer.alloc(before), secret]);
  const [start, end] = [Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6)];
  const characters = whole.toString('base64').slice(start, end);
  let node = root;
  for (const [index, character] of characters.split('').entries()) {
    if (index > 0) allowLineBreak(node);
    const next = readCharacter(node, character);
    if (character === '+') node.to('-', next);
    if (character === '/') node.to('_', next);
    node = next;
  }
  node.isEnd = true;
  if ((whole.length * 8) % 6 !== 0) readRest(node);
}

/** Programs break base64 into lines. */
function allowLineBreak(node: FormNode): void {
  const escaped = backslashes(node);
  for (const end of ['\n', '\r']) node.to(end, node);
  for (const end of ['n', 'r']) escaped.to(end, node);
}

/** The next base64 character also has bits of the secret. */
function readRest(node: FormNode): void {
  const rest = new FormNode(node.depth + 1);
  rest.isEnd = true;
  for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_')
    node.to(character, rest);
}
