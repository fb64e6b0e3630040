/** The characters that PostgreSQL cannot store in a text. */
const unreadable = new RegExp('[\\0\\p{Cs}]', 'gu');

/** Returns JSON that the database can read: U+FFFD stands for NUL and for lone surrogates. */
export function toReadableJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'string' ? part.replace(unreadable, '\ufffd') : part,
  );
}
