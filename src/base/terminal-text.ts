// oxlint-disable no-control-regex

/**
 * Characters that are unsafe in a terminal: control characters except line breaks and tabs, marks that reorder text or
 * separate lines, zero-width characters that no script needs, and lone surrogates.
 */
const unsafe =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\p{Cs}]/gu;
/** Also invisible characters that some scripts and emoji need, which a user cannot see in a command. */
const hidden = /(?![\t\n])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
const onlyAscii = /^[\t\n\u0020-\u007e]*$/;

/** Returns a text that is safe for a terminal: unsafe characters are escaped, such as `\u{1b}`. */
export function safeText(text: string): string {
  return onlyAscii.test(text) ? text : text.replaceAll(unsafe, escaped);
}

/** Returns a JSON text of the same value that is safe for a terminal. */
export function safeJson(json: string): string {
  if (onlyAscii.test(json)) return json;
  return json.replaceAll(unsafe, character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Returns a text without the characters that `safeText` escapes. */
export function printableText(text: string): string {
  return onlyAscii.test(text) ? text : text.replaceAll(unsafe, '');
}

/**
 * Returns a text in which every character is visible: control characters and the ones that reorder or hide text are
 * written as escapes, so that a user sees exactly the command that runs.
 */
export function visibleText(text: string): string {
  return text.replaceAll(hidden, escaped);
}

/** Returns a text on one line in which every character is visible: a name must not look like further lines. */
export function visibleLine(text: string): string {
  return visibleText(text).replaceAll('\n', '\\n').replaceAll('\t', '\\t');
}

/** Returns a text on one line, without unsafe characters: a title must not move the cursor. */
export function plainText(text: string): string {
  return printableText(text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' '));
}

/**
 * Returns a text as the lines of a row: unsafe characters are removed, so that it changes nothing outside its row. A
 * carriage return alone, as progress bars print it, keeps what follows it.
 */
export function rowLines(text: string): string[] {
  return text
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map(line => rowText(line.slice(line.lastIndexOf('\r', line.length - 2) + 1)));
}

/** Returns a text for one line of a row, with tabs and without line breaks, escape sequences and unsafe characters. */
export function rowText(text: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(text)) return text;
  const plain = text.replaceAll(
    /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|[ -/]*[0-~])/g,
    '',
  );
  return printableText(plain).replaceAll('\n', '');
}

function escaped(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
