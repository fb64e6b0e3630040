import { describe, expect, it } from 'vitest';
import type { SavedChunks } from '../agents/cli/saved/saved-lines.ts';
import { translateStream } from './translate.ts';

const line = (value: unknown) => `${JSON.stringify(value)}\n`;
const session = line({ type: 'thread.started', thread_id: 's' });
const hello = line({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'hellö' } });
const done = line({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 2 } });

async function translate(chunks: SavedChunks, output: 'events' | 'activity' = 'events') {
  const written: string[] = [];
  await translateStream('codex', chunks, {
    output,
    write: text => {
      written.push(text);
      return Promise.resolve(true);
    },
  });
  const text = written.join('');
  return text.split('\n').flatMap(json => (json === '' ? [] : [JSON.parse(json) as Record<string, unknown>]));
}

const types = (values: Record<string, unknown>[]) => values.map(value => value['type']);

describe('translating a stream', () => {
  it('yields a whole run', async () => {
    const values = await translate([Buffer.from(session + hello + done)]);
    expect(types(values)).toEqual(['harness_start', 'session', 'text', 'usage', 'harness_end']);
    expect(values.at(-1)).toMatchObject({ reason: 'complete' });
  });

  it('yields activity', async () => {
    const values = await translate([Buffer.from(session + hello + done)], 'activity');
    expect(values).toEqual([{ type: 'agent', timestamp: expect.any(String), sessionId: 's', message: 'hellö' }]);
  });

  it('writes each line before it waits for the next one', async () => {
    const seen: number[] = [];
    const written: string[] = [];
    async function* growing() {
      for (const text of [session, hello, done]) {
        seen.push(written.length);
        yield await Promise.resolve(text);
      }
    }
    await translateStream('codex', growing(), {
      output: 'events',
      write: text => Promise.resolve(written.push(text) > 0),
    });
    expect(seen).toEqual([0, 2, 3]);
  });

  it('keeps a truncated last line, and reports that the run was cut off', async () => {
    const bytes = Buffer.from(session + hello);
    const values = await translate([bytes.subarray(0, 70), bytes.subarray(70, bytes.length - 8)]);
    expect(values.slice(2)).toMatchObject([
      { type: 'unknown', raw: expect.stringContaining('agent_message') as string },
      { type: 'harness_end', reason: 'interrupted' },
    ]);
  });

  it('counts the lines it understood, except blank ones', async () => {
    const lines = [Buffer.from(`${session}noise\n\n{"type":"other"}`)];
    const write = () => Promise.resolve(true);
    expect(await translateStream('codex', lines, { output: 'events', write })).toEqual({ lines: 3, understood: 1 });
  });

  it('stops when the reader closes', async () => {
    let count = 0;
    const lines = [Buffer.from(session), Buffer.from(hello)];
    const write = () => Promise.resolve(++count < 2);
    expect(await translateStream('codex', lines, { output: 'events', write })).toBeUndefined();
    expect(count).toBe(2);
  });
});
