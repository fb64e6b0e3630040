// oxlint-disable no-control-regex

/** Returns a text without the control characters that a terminal executes; line breaks and tabs stay. */
export function printableText(text: string): string {
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

/**
 * Returns a text in which every character is visible: control characters and the ones that reorder or hide text are
 * written as escapes, so that what a person approves is what runs.
 */
export function visibleText(text: string): string {
  return text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    character => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Returns a text on one line, without control characters: a title must not move the cursor. */
export function plainText(text: string): string {
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ');
}

/**
 * Returns a text as the lines of a row: control characters and marks that reorder text are removed, so that it changes
 * nothing outside its row. A carriage return alone, as progress bars print it, keeps what follows it.
 */
export function rowLines(text: string): string[] {
  return text
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map(line => rowText(line.slice(line.lastIndexOf('\r', line.length - 2) + 1)));
}

/** Returns a text for one line of a row, with tabs and without control characters, escape sequences and marks that reorder. */
export function rowText(text: string): string {
  if (/^[\t\u0020-\u007e]*$/.test(text)) return text;
  return text
    .replaceAll(
      /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|[ -/]*[0-~])/g,
      '',
    )
    .replaceAll(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g, '');
}
