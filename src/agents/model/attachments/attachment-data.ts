import { errorText } from '../../../base/error-text.ts';
import {
  APICallError,
  InvalidArgumentError,
  InvalidPromptError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';

/** The bytes of an attachment as base64, or the address they are at. */
type AttachmentData =
  | { readonly base64: string; readonly mediaType: string }
  | { readonly url: URL; readonly mediaType: string }
  | { readonly problem: string };

const unspecific: ReadonlySet<string> = new Set(['', '*/*', 'application/octet-stream']);

/**
 * Reads the data of an attachment: base64, a `data:` URL or an http(s) URL. The media type has no parameters; an
 * unspecific one is replaced by the type that a `data:` URL states.
 */
export function readAttachment(data: string | URL, mediaType: string): AttachmentData {
  const type = baseType(mediaType);
  const text = typeof data === 'string' ? data.trim() : data.href;
  if (/^data:/i.test(text)) return readDataUrl(text, type);
  if (/^https?:/i.test(text)) {
    if (!URL.canParse(text)) return { problem: 'its address is not a valid URL' };
    return { url: new URL(text), mediaType: type };
  }
  const base64 = text.replaceAll(/\s/g, '');
  if (!/^[\w+/-]*={0,2}$/.test(base64))
    return { problem: 'its data is neither base64 nor a data:, http: or https: URL' };
  return { base64, mediaType: type };
}

/** Returns the text of base64 bytes; undefined when they are not UTF-8 text. */
export function textOfBase64(base64: string): string | undefined {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined; // It is no text.
  }
}

/** Returns a text file as text for a prompt; undefined for other files, and for files at an address. */
export function inlineText(part: {
  readonly data: string;
  readonly mediaType: string;
  readonly filename?: string | undefined;
}): string | undefined {
  const data = readAttachment(part.data, part.mediaType);
  if (!('base64' in data) || !(isTextType(data.mediaType) || isUnspecific(data.mediaType))) return undefined;
  const text = textOfBase64(data.base64);
  return text === undefined ? undefined : attachmentText(part.filename, data.mediaType, text);
}

/** Returns the content of a text file as text for a model. */
export function attachmentText(filename: string | undefined, mediaType: string, text: string): string {
  const name = filename === undefined ? '' : ` name=${JSON.stringify(filename)}`;
  return `<attachment${name} type=${JSON.stringify(mediaType || 'text/plain')}>\n${text}\n</attachment>`;
}

/** Whether a media type is too generic to describe the content. */
export function isUnspecific(mediaType: string): boolean {
  return unspecific.has(mediaType);
}

/** Whether files of a media type are text that a model can read as it is. */
export function isTextType(mediaType: string): boolean {
  return (
    mediaType.startsWith('text/') ||
    /\+(json|xml|yaml)$/.test(mediaType) ||
    /^application\/(x-)?(json|jsonl|ndjson|xml|ya?ml|toml|javascript|ecmascript|typescript|sql|sh|shellscript|httpd-php|tex|latex|graphql)$/.test(
      mediaType,
    )
  );
}

/** Returns a media type without parameters, in lower case. */
export function baseType(mediaType: string): string {
  return (mediaType.split(';')[0] ?? '').trim().toLowerCase();
}

function readDataUrl(url: string, mediaType: string): AttachmentData {
  const comma = url.indexOf(',');
  if (comma < 0) return { problem: 'its data: URL has no comma before the data' };
  const [stated = '', ...parameters] = url.slice('data:'.length, comma).split(';');
  const type = isUnspecific(mediaType) ? baseType(stated) || 'text/plain' : mediaType;
  const isBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64');
  try {
    const body = decodeURIComponent(url.slice(comma + 1));
    if (isBase64) return readAttachment(body, type);
    return { base64: Buffer.from(body, 'utf8').toString('base64'), mediaType: type };
  } catch (error) {
    return { problem: `its data: URL cannot be decoded (${errorText(error)})` };
  }
}

const refusedStatus: ReadonlySet<number> = new Set([400, 413, 415, 422]);

/** Matches errors about requests that are too long: their attachments are not the cause. */
const tooLong = /context.{0,20}(length|window)|prompt is too long|maximum context|too many tokens/i;

/** Whether a provider refused a request because of its content: attachments may be the cause. */
export function isRefusal(error: unknown): boolean {
  if (APICallError.isInstance(error)) return refusedStatus.has(error.statusCode ?? 0) && !tooLong.test(error.message);
  return (
    UnsupportedFunctionalityError.isInstance(error) ||
    InvalidPromptError.isInstance(error) ||
    InvalidArgumentError.isInstance(error)
  );
}

/** Whether a refusal names a media type. */
export function refusedType(error: unknown, mediaType: string): boolean {
  return error instanceof Error && mediaType !== '' && error.message.includes(mediaType);
}
