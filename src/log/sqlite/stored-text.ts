import { parseJson } from '../../base/parse-json.ts';

/**
 * The native library ends the process when it reads a text that is not UTF-8, as in a damaged file: a value, or the
 * declared type of a column. So every result column is an expression that is no text: texts are read as bytes, and
 * numbers are cast to numbers even when the file stores another type.
 */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The expression of a result column that reads a text safely. */
export function asBytes(expression: string): string {
  return `CAST(${expression} AS BLOB)`;
}

/** The expression of a result column that reads a number safely. */
export function asNumber(expression: string): string {
  return `CAST(${expression} AS INTEGER)`;
}

/** The text that was read as bytes; undefined when the file is damaged there. */
export function textIn(bytes: unknown): string | undefined {
  if (!(bytes instanceof Uint8Array)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

const separator = '\u0001';

/** The expression that reads several texts without control characters as one. */
export function asJoinedBytes(columns: readonly string[]): string {
  return asBytes(columns.join(' || char(1) || '));
}

/** The texts that were read as one; undefined when the file is damaged there. */
export function textsIn(bytes: unknown, count: number): string[] | undefined {
  const texts = textIn(bytes)?.split(separator);
  return texts?.length === count ? texts : undefined;
}

/** Parses a stored text as JSON; returns undefined when the file is damaged there. */
export function jsonIn(text: string | undefined): unknown {
  return text === undefined ? undefined : parseJson(text);
}
