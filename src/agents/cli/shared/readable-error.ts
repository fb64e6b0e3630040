import { recordOf, textOf } from './wire-value.ts';

/** Returns a readable error text: the message inside a provider's JSON answer, else the text itself. */
export function readableError(text: string): string {
  const [, status = '', json] = /^(\d{3}: )?(\{[^]*\})$/.exec(text.trim()) ?? [];
  if (json === undefined) return text;
  try {
    const body = recordOf(JSON.parse(json));
    const message = textOf(recordOf(body?.['error'])?.['message']) ?? textOf(body?.['message']);
    return message === undefined ? text : `${status}${message}`;
  } catch {
    return text;
  }
}
