import * as z from 'zod';
import type { RawLine } from '../../../log/event-log.ts';
import { parseJson } from '../../../base/parse-json.ts';

const fields = { n: z.int().positive(), ts: z.iso.datetime({ offset: true }), stream: z.enum(['stdout', 'stderr']) };
const record = z.union([z.object({ ...fields, line: z.string() }), z.object({ ...fields, base64: z.base64() })]);

/** Encodes a raw line for `raw.jsonl`: as text with its ending, or as base64 when its bytes are not text. */
export function rawRecord({ n, ts, stream, line }: RawLine): object {
  const bytes = Buffer.from(line);
  const text = bytes.toString('utf8');
  return Buffer.from(text).equals(bytes)
    ? { n, ts, stream, line: text }
    : { n, ts, stream, base64: bytes.toString('base64') };
}

/** Decodes a line of `raw.jsonl`; undefined when it is anything else. */
export function readRawRecord(text: string): RawLine | undefined {
  const { data } = record.safeParse(parseJson(text));
  if (data === undefined) return undefined;
  const { n, ts, stream } = data;
  return { n, ts, stream, line: 'line' in data ? Buffer.from(data.line) : Buffer.from(data.base64, 'base64') };
}
