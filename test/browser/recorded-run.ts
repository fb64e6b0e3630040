import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { captures, linesOf, replay } from '../cli-agents/captures.ts';
import type { EventLog } from '../../src/log/index.ts';

/** Stores a recorded run of a real program in a new thread, with its raw lines and times; returns the thread's id. */
export async function storeRecordedRun(log: EventLog, name: string): Promise<string> {
  const capture = captures().find(each => each.name === name);
  if (capture === undefined) throw new Error(`expected a recording ${name}`);
  const { id } = await log.createThread({ title: name });
  const { events } = replay(capture);
  const ts = events[0]?.ts ?? new Date(0).toISOString();
  await log.append(id, [{ type: 'user', runId: 'u', content: 'Do the task.', ts }, ...events]);
  const lines = linesOf(join(capture.folder, 'raw.jsonl'));
  await log.appendRaw(
    id,
    'run',
    lines.map((line, index) => ({ n: index + 1, ts, stream: 'stdout' as const, line: Buffer.from(line) })),
  );
  return id;
}

/** The first line that a program printed in a recording. */
export function firstLineOf(name: string): string {
  const capture = captures().find(each => each.name === name);
  return readFileSync(join(capture?.folder ?? '', 'raw.jsonl'), 'utf8').split('\n', 1)[0] ?? '';
}
