import { toRecord, toText } from './wire-value.ts';
import { parseJson } from '../../../base/parse-json.ts';

/** Returns the text of a reported error of any shape; empty when it has none. */
export function errorText(error: unknown): string {
  if (typeof error === 'string') return readableError(error);
  const message = toText(toRecord(error)?.['message']);
  if (message !== undefined) return readableError(message);
  const json = JSON.stringify(error ?? {});
  return json === '{}' ? '' : json;
}

/** Returns a readable error text: the message inside a provider's JSON answer, else the text itself. */
export function readableError(text: string): string {
  const [, status = '', json] = /^(\d{3}: )?(\{[^]*\})$/.exec(text.trim()) ?? [];
  if (json === undefined) return text;
  const body = toRecord(parseJson(json));
  const message = toText(toRecord(body?.['error'])?.['message']) ?? toText(body?.['message']);
  return message === undefined ? text : `${status}${message}`;
}
