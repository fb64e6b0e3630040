import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { checkOrder } from '../../../events/order.ts';
import type { RawLine } from '../../../log/event-log.ts';
import { createActivityState, projectActivity } from '../../../projections/activity/project-activity.ts';
import { rawRecord, readRawRecord } from './raw-record.ts';
import type { SavedChunks } from './saved-lines.ts';
import { readSavedStream, type SavedStreamOptions } from './saved-stream.ts';

const json = (value: unknown) => `${JSON.stringify(value)}\n`;
const session = json({ type: 'thread.started', thread_id: 's' });
const hello = json({ type: 'item.completed', item: { id: 'i', type: 'agent_message', text: 'hellö' } });
const tool = (phase: string) => json({ type: `item.${phase}`, item: { id: 't', type: 'mcp_tool_call', tool: 'x' } });
const done = json({ type: 'turn.completed', usage: { input_tokens: 1, output_tokens: 2 } });
const second = (n: number) => new Date(n * 1000).toISOString();
const recorded = (...lines: [stream: RawLine['stream'], text: string][]) =>
  lines.map(([stream, text], index) =>
    json(rawRecord({ n: index + 1, ts: second(index + 1), stream, line: Buffer.from(text) })),
  );

async function read(chunks: SavedChunks, options?: SavedStreamOptions): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of readSavedStream('codex', chunks, options)) events.push(event);
  expect(checkOrder(events)).toEqual([]);
  return events;
}

describe('a saved stream', () => {
  it('is a whole run, however it is cut into chunks', async () => {
    const whole = await read([session + hello + done], { runId: 'r', cwd: '/w', model: 'm' });
    expect(whole.map(event => event.type)).toEqual(['harness_start', 'session', 'text', 'usage', 'harness_end']);
    expect(whole[0]).toMatchObject({ runId: 'r', agentId: 'codex', cwd: '/w', model: 'm' });
    expect(whole.at(-1)).toMatchObject({ reason: 'complete' });
    const bytes = [...Buffer.from(session + hello + done)].map(byte => Uint8Array.of(byte));
    expect((await read(bytes, { runId: 'r' }))[2]).toMatchObject({ type: 'text', content: 'hellö' });
  });

  it('may be the raw.jsonl of a run, with both its streams and its times', async () => {
    const raw = recorded(['stdout', session], ['stderr', 'careful\n'], ['stdout', hello], ['stdout', done]);
    expect((await read(raw)).map(({ type, ts, line }) => [type, ts, line])).toEqual([
      ['harness_start', second(1), undefined],
      ['session', second(1), 1],
      ['warning', second(2), 2],
      ['text', second(3), 3],
      ['usage', second(4), 4],
      ['harness_end', second(4), undefined],
    ]);
  });

  it('keeps a record that was cut off as output that is not understood', async () => {
    const [first = '', next = ''] = recorded(['stdout', session], ['stdout', hello]);
    expect((await read([first, next.slice(0, 30)])).slice(2)).toMatchObject([
      { type: 'unknown', raw: next.slice(0, 30) },
      { type: 'harness_end', reason: 'interrupted' },
    ]);
  });

  it('gives the records of tools that are not understood, also of one without a result', async () => {
    for (const chunks of [
      [session, tool('started'), hello, tool('completed')],
      [session, tool('started'), hello],
    ]) {
      const stream = readSavedStream('codex', chunks);
      const state = createActivityState();
      const raw: unknown[] = [];
      for await (const event of stream)
        for (const entry of projectActivity(state, event, stream.lineOf))
          if (entry.type === 'unknown') raw.push(entry.raw);
      expect(raw).toEqual([JSON.parse(chunks.length === 4 ? tool('completed') : tool('started'))]);
    }
  });

  it('reports the exit of the program when it is given', async () => {
    expect((await read([session], { exitCode: 3 })).at(-1)).toMatchObject({ reason: 'error' });
  });

  it.each([[[]], [['']], [['\n', ' \n']]])('is refused when it is empty: %j', async chunks => {
    await expect(read(chunks)).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('is refused for an unknown agent, and with an unknown option', () => {
    expect(() => readSavedStream('bogus', [])).toThrow(/Unknown external agent "bogus"/);
    expect(() => readSavedStream('codex', [], { folder: '/w' } as SavedStreamOptions)).toThrow(/no option `folder`/);
  });
});

describe('a raw line', () => {
  it('is read as it was written, whatever its bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.constantFrom('stdout' as const, 'stderr' as const), (line, stream) => {
        const raw = readRawRecord(JSON.stringify(rawRecord({ n: 1, ts: second(1), stream, line })));
        expect({ ...raw, line: [...(raw?.line ?? [])] }).toEqual({ n: 1, ts: second(1), stream, line: [...line] });
      }),
    );
  });

  it.each(['', 'text', '{"type":"thread.started"}', '{"n":1,"ts":"2026-01-01T00:00:00Z","stream":"x","line":""}'])(
    'is nothing else: %j',
    text => expect(readRawRecord(text)).toBeUndefined(),
  );
});
