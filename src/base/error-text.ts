/** Returns the message of an error, its name when the message is empty, or whatever else was thrown as text. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
