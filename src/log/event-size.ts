import { SingletreeError } from '../base/singletree-error.ts';

/** The longest event a log stores when no other limit is configured. */
export const defaultMaxEventBytes: number = 16 * 2 ** 20;

/** The highest limit that can be configured: a text that is much longer does not fit into a string. */
export const largestMaxEventBytes: number = 500 * 2 ** 20;

/** How much of a thread is read at once when its events are long. */
export const pageBytes: number = 4 * 2 ** 20;

/** Throws `event_too_large` when the JSON of an event has more bytes; `what` names the event. */
export function checkEventText(text: string, maxBytes: number, what: string): void {
  // Mostly its length is enough to know: no character has more than three bytes.
  if (text.length * 3 <= maxBytes) return;
  const bytes = Buffer.byteLength(text);
  if (bytes > maxBytes) throw eventTooLarge(what, bytes, maxBytes);
}

/** Returns the error for something that is longer than the largest allowed event. */
export function eventTooLarge(what: string, bytes: number, maxBytes: number): SingletreeError {
  return new SingletreeError(
    'event_too_large',
    `${what} has ${bytes} bytes or more as JSON, at most ${maxBytes} are stored. Shorten it, or keep its content in a file.`,
    { details: { bytes, maxBytes } },
  );
}

/** Writes an event; throws `event_too_large` when the text is longer than a string can be. */
export function writeEventText<Text>(write: () => Text): Text {
  try {
    return write();
  } catch (cause) {
    if (!(cause instanceof RangeError && /string length|out of memory/i.test(cause.message))) throw cause;
    throw new SingletreeError(
      'event_too_large',
      'The event is longer as JSON than a text can be. Shorten it, or keep its content in a file.',
      { cause },
    );
  }
}
