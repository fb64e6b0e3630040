/** Returns the value of a JSON text, or `otherwise` when it is not JSON. */
export function parseJson(text: string, otherwise?: unknown): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return otherwise; // Not an error here: the caller chose what invalid text means.
  }
}
