import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import * as z from 'zod';
import { endReason } from '../../agents/cli/saved/saved-stream.ts';
import type { SavedStreamOptions } from '../../agents/index.ts';
import { defined } from '../../events/defined.ts';

const description = z.object({
  cwd: z.string().optional(),
  outcome: endReason,
  error: z.string().optional(),
  errorCode: z.string().optional(),
});

/** Returns what the `run.json` beside a `raw.jsonl` knows of the run; nothing for another file, or while the run is open. */
export async function readRunDescription(file: string): Promise<Pick<SavedStreamOptions, 'cwd' | 'end'>> {
  if (basename(file) !== 'raw.jsonl') return {};
  const text = await readFile(join(dirname(file), 'run.json'), 'utf8').catch(() => 'null');
  const { data } = description.safeParse(parseJson(text));
  if (data === undefined) return {};
  const { cwd, outcome: reason, error: message, errorCode: code } = data;
  const error = message === undefined ? undefined : { message, ...defined({ code }) };
  return { end: { reason, ...defined({ error }) }, ...defined({ cwd }) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
