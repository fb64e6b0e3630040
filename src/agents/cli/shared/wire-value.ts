/** A JSON object whose fields are not known yet. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** The value as an object; undefined when it is anything else. */
export function toRecord(value: unknown): WireRecord | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as WireRecord) : undefined;
}

/** The value as a list; empty when it is anything else. */
export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as text that is not empty; undefined when it is anything else. */
export function toText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value as a finite number; undefined when it is anything else. */
export function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The value as a count of tokens or dollars; undefined when it is anything else. */
export function toCount(value: unknown): number | undefined {
  const count = toNumber(value);
  return count !== undefined && count >= 0 ? count : undefined;
}

/** Returns the text of content that is a string or a list of text parts; undefined for any other content. */
export function joinedText(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return undefined;
  const texts = content.map(part => toRecord(part)?.['text']);
  return texts.every(text => typeof text === 'string') ? texts.join('\n') : undefined;
}

/**
 * Returns the part of a whole text after its streamed beginning; undefined when the streamed text is not its beginning.
 */
export function remainder(streamed: string, whole: string): string | undefined {
  return whole.startsWith(streamed) ? whole.slice(streamed.length) : undefined;
}
