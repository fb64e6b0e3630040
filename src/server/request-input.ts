import type { HonoRequest } from 'hono';
import * as z from 'zod';
import { SingletreeError } from '../events/index.ts';

/** The body of a request, checked; `invalid_argument` names the field that is wrong. */
export async function readBody<Schema extends z.ZodType>(
  request: HonoRequest,
  schema: Schema,
): Promise<z.infer<Schema>> {
  const type = request.header('content-type') ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type))
    throw new SingletreeError(
      'unsupported_media_type',
      `The body has the content type "${type}". Send JSON with "content-type: application/json".`,
    );
  return checked(schema, parseJson(await readText(request.raw.body)), 'The body');
}

/** The query of a request, checked in the same way. */
export function readQuery<Schema extends z.ZodType>(request: HonoRequest, schema: Schema): z.infer<Schema> {
  return checked(schema, request.query(), 'The query');
}

/** A whole number written as text, such as `?limit=20`. */
export const wholeNumber = z
  .string()
  .regex(/^\d{1,15}$/, 'expected a whole number')
  .transform(Number);

const maxBytes = 1024 * 1024;

/** The text of a body. One that is too large is read on for a while, so that its sender gets to read the answer. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size <= maxBytes) chunks.push(chunk);
    if (size > 16 * maxBytes) break;
  }
  if (size <= maxBytes) return Buffer.concat(chunks).toString('utf8');
  throw new SingletreeError('body_too_large', `The body is larger than ${maxBytes} bytes. Send less at once.`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SingletreeError('invalid_argument', 'The body is not JSON. Expected one JSON object.', { cause });
  }
}

function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, where: string): z.infer<Schema> {
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
