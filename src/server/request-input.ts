import type { HonoRequest } from 'hono';
import * as z from 'zod';
import { SingletreeError } from '../base/singletree-error.ts';

/** The body of a request, checked; `invalid_argument` names the field that is wrong. */
export async function readBody<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
  maxBytes = 1024 * 1024,
): Promise<z.infer<Schema>> {
  checkContentType(request, 'application/json');
  return checkInput(schema, parseJson(await readText(request.raw.body, maxBytes)), 'The body');
}

/** A whole number written as text, such as `?limit=20`. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number);

/** The number of bytes read from an oversized body before closing, so that the sender can read the response. */
const patience = 16 * 1024 * 1024;

/** Throws `unsupported_media_type` unless the body is of this type: a form of another site cannot send it. */
export function checkContentType(request: HonoRequest, expected: string): void {
  const type = request.header('content-type') ?? '';
  if (type.split(';')[0]?.trim().toLowerCase() !== expected)
    throw new SingletreeError(
      'unsupported_media_type',
      `The body has the content type "${type}". Send it with "content-type: ${expected}".`,
    );
}

/** The text of a body; `body_too_large` when it has more bytes. */
export async function readText(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(body, maxBytes)) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Yields the bytes of a body as they arrive; throws `body_too_large` above the limit. */
export async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  try {
    for await (const chunk of body ?? []) {
      size += chunk.length;
      if (size <= maxBytes) yield chunk;
      if (size > maxBytes + patience) break;
    }
  } catch (cause) {
    throw new SingletreeError('invalid_argument', 'The body was cut off before its end. Send it again.', { cause });
  }
  if (size > maxBytes)
    throw new SingletreeError('body_too_large', `The body is larger than ${maxBytes} bytes. Send less at once.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SingletreeError('invalid_argument', 'The body is not JSON. Expected one JSON object.', { cause });
  }
}

/** Returns a value as a schema reads it; throws `invalid_argument` that names the field which is wrong. */
export function checkInput<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.infer<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { field, expected } = describeIssue(parsed.error.issues[0]);
  const named = field === '' ? `${where}: ${expected}.` : `${where}, field "${field}": ${expected}.`;
  throw new SingletreeError('invalid_argument', named, { details: { field, expected } });
}

function describeIssue(issue: z.core.$ZodIssue | undefined): { field: string; expected: string } {
  if (issue === undefined) return { field: '', expected: 'expected something else' };
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys')
    return { field: [...path, issue.keys[0] ?? ''].join('.'), expected: 'there is no such field' };
  return { field: path.join('.'), expected: issue.message.replace(/^Invalid input: /, '') };
}
