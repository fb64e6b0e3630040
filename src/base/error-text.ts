/** Returns the message of an error, or its name when the message is empty; converts any other value to a string. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
