import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentEvent } from '../../test/support/random-events.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { exportThread, type ImportTarget, importThread } from './jsonl.ts';
import { MemoryLog } from './memory-log.ts';

async function exported(log: MemoryLog, id: string): Promise<string> {
  let all = '';
  for await (const line of exportThread(log, id)) all += line;
  return all;
}

async function imported(source: Iterable<string | Uint8Array>): Promise<string> {
  const log = new MemoryLog({ now: () => 0 });
  return exported(log, (await importThread(log, source)).id);
}

async function exportOf(events: readonly AgentEvent[]): Promise<string> {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  await log.append(id, events);
  return exported(log, id);
}

function* chunks<Whole extends { slice(start: number, end: number): Whole; length: number }>(
  whole: Whole,
  sizes: number[],
) {
  for (let at = 0, turn = 0; at < whole.length; turn++) {
    const size = sizes[turn % sizes.length] ?? whole.length;
    yield whole.slice(at, at + size);
    at += size;
  }
}

const stored = (n: number) =>
  `{"type":"warning","runId":"r","message":"é🧭 ${n}","seq":${n},"ts":"2025-01-01T00:00:00Z"}`;
const lines = (count: number) => Array.from({ length: count }, (_, index) => stored(index + 1));
const whole = `${lines(4).join('\n')}\n`;

describe('export, import, export', () => {
  it('gives the same bytes, then what closes them, whatever the events and wherever the chunks end', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(agentEvent(), { maxLength: 12 }), sizes, async (events, sizes) => {
        const text = await exportOf(events);
        expect(text.split('\n')).toHaveLength(events.length + 1);
        const whole = await imported(chunks(text, sizes));
        expect(whole.slice(0, text.length)).toBe(text);
        expect(await imported(chunks(new TextEncoder().encode(text), sizes))).toBe(whole);
        expect(await imported([whole])).toBe(whole);
      }),
      { numRuns: 100 },
    );
  });

  it('gives the same bytes and no others when nothing is left open', async () => {
    const ended: AgentEvent[] = [
      { type: 'harness_start', runId: 'r', agentId: 'a' },
      { type: 'relay', runId: 'r', id: 'q', relayKind: 'question', question: 'Which?' },
      { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' },
    ];
    const text = await exportOf(ended);
    expect(await imported([text])).toBe(text);
  });

  it('gives the same bytes when every chunk is one byte, or one half of a character', async () => {
    expect(await imported(chunks(new TextEncoder().encode(whole), [1]))).toBe(whole);
    expect(await imported(chunks(whole, [1]))).toBe(whole);
  });

  it('gives the same bytes for more events than a page', async () => {
    const text = `${lines(1501).join('\n')}\n`;
    expect(await imported([text])).toBe(text);
  });

  it('makes a branch a thread of its own', async () => {
    const log = new MemoryLog();
    const { id } = await importThread(log, [whole]);
    const child = await log.branch(id, 2);
    await log.append(child.id, [{ type: 'warning', runId: 'r', message: 'own' }]);
    const text = await exported(log, child.id);
    const copy = await importThread(log, [text], { title: 'copy' });
    expect(copy).toMatchObject({ seq: 3, title: 'copy' });
    expect(copy.branchedFrom).toBeUndefined();
    expect(await exported(log, copy.id)).toBe(text);
  });
});

describe('import', () => {
  it('takes CRLF, blank lines, a byte order mark, nothing at all, and a last line without an end', async () => {
    expect(await imported([`${lines(4).join('\r\n')}\r\n`])).toBe(whole);
    expect(await imported([`\n${lines(4).join('\n\n \n')}`])).toBe(whole);
    expect(await imported([Buffer.from(`\ufeff${whole}`)])).toBe(whole);
    expect(await imported([])).toBe('');
    expect(await imported([new Uint8Array(), '', '\n'])).toBe('');
  });

  it('takes events without seq and ts', async () => {
    const text = await imported(['{"type":"warning","runId":"r","message":"m"}\n']);
    expect(text).toBe('{"type":"warning","runId":"r","message":"m","seq":1,"ts":"1970-01-01T00:00:00.000Z"}\n');
  });

  const invalidUtf8 = Buffer.from(lines(3).join('\n'));
  invalidUtf8[invalidUtf8.lastIndexOf(0xc3)] = 0xff;
  const cutUtf8 = Buffer.concat([Buffer.from(`${stored(1)}\n"`), Buffer.of(0xc3)]);
  const endedUtf8 = Buffer.concat([cutUtf8, Buffer.from(`"\n${stored(2)}`)]);
  it.each<[string, number, string | Uint8Array]>([
    ['is not JSON', 3, `${lines(2).join('\n')}\n{"type":\n${stored(3)}\n`],
    ['is cut off', 4, `${lines(3).join('\n')}\n${stored(4).slice(0, -9)}`],
    ['is JSON but no event', 2, `${stored(1)}\n[]\n`],
    ['is not a valid event', 2, `${stored(1)}\n{"type":"text","runId":"r","seq":2}\n`],
    ['follows blank lines', 4, `${stored(1)}\n\n\nnull\n`],
    ['leaves a gap in seq', 2, `${stored(1)}\n${stored(3)}\n`],
    ['doubles a seq', 3, `${stored(1)}\n${stored(2)}\n${stored(2)}\n`],
    ['does not begin with seq 1', 1, `${stored(2)}\n`],
    ['comes after more than a page', 700, `${lines(699).join('\n')}\nx`],
    ['is not UTF-8', 3, invalidUtf8],
    ['ends inside a character', 2, cutUtf8],
    ['has half a character', 2, endedUtf8],
  ])('names the line that %s and leaves no thread behind', async (_, line, source) => {
    const log = new MemoryLog();
    for (const size of [1, 7, source.length]) {
      const parts = typeof source === 'string' ? chunks(source, [size]) : chunks(source, [size]);
      await expect(importThread(log, parts)).rejects.toMatchObject({
        code: 'invalid_event',
        message: expect.stringMatching(new RegExp(`^Line ${line}\\b`)),
      });
    }
    expect(await log.listThreads()).toEqual([]);
  });

  it('cancels relays that wait and interrupts runs that are open, the innermost first', async () => {
    const open: AgentEvent[] = [
      { type: 'harness_start', runId: 'outer', agentId: 'a' },
      { type: 'tool_call', runId: 'outer', id: 'c', name: 'agent', input: {} },
      { type: 'harness_start', runId: 'inner', agentId: 'b', parentId: 'c' },
      { type: 'relay', runId: 'inner', id: 'q', relayKind: 'question', question: 'Which?' },
    ];
    const log = new MemoryLog();
    const { id, seq, importedSeq } = await importThread(log, [await exportOf(open)]);
    expect([seq, importedSeq]).toEqual([7, 7]);
    expect(await log.read(id, { after: 4 })).toMatchObject([
      { type: 'relay_resolved', runId: 'inner', relayId: 'q', outcome: 'cancelled' },
      { type: 'harness_end', runId: 'inner', agentId: 'b', reason: 'interrupted' },
      { type: 'harness_end', runId: 'outer', agentId: 'a', reason: 'interrupted' },
    ]);
  });

  it('withdraws messages that wait', async () => {
    const queued = { type: 'message_queued' as const, delivery: 'follow_up' as const, agent: 'a', order: 0 };
    const waiting: AgentEvent[] = [
      { ...queued, runId: 'q1', id: 'delivered', content: 'one' },
      { ...queued, runId: 'q2', id: 'withdrawn', content: 'two' },
      { ...queued, runId: 'q3', id: 'waiting', content: 'three' },
      { type: 'user', runId: 'u', id: 'delivered', content: 'one' },
      { type: 'message_withdrawn', runId: 'q4', id: 'withdrawn' },
    ];
    const log = new MemoryLog();
    const { id } = await importThread(log, [await exportOf(waiting)]);
    expect(await log.read(id, { after: 5 })).toMatchObject([{ type: 'message_withdrawn', id: 'waiting' }]);
  });

  it('has the requested runs of an export, which nobody begins', async () => {
    const log = new MemoryLog();
    const asked: AgentEvent[] = [
      { type: 'user', runId: 'u', content: 'Hi' },
      { type: 'run_requested', runId: 'r', agentId: 'a', parentId: 'u:user' },
    ];
    const { id } = await importThread(log, [await exportOf(asked)]);
    expect((await log.read(id)).map(({ type }) => type)).toContain('run_requested');
    expect(await log.getThread(id)).not.toHaveProperty('open');
    expect(await log.listThreads({ open: 'run' })).toEqual([]);
  });

  it('refuses metadata: keys of it start runs and choose models', async () => {
    const log = new MemoryLog();
    const target = { metadata: { 'run:r': { runId: 'r', agentId: 'a', parentId: 'p' } } };
    await expect(importThread(log, [whole], target as ImportTarget)).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    expect(await log.listThreads()).toEqual([]);
  });

  it('marks what it stored, also when the process ends in the middle of it', async () => {
    const log = new MemoryLog();
    const deleteThread = log.deleteThread.bind(log);
    log.deleteThread = async () => {};
    await expect(importThread(log, [lines(700).join('\n'), '\nx'], { id: 'half' })).rejects.toThrow('Line 701');
    expect(await log.getThread('half')).toMatchObject({ seq: 500, importedSeq: 500 });
    await deleteThread('half');
  });

  it('ends without a thread when somebody writes into the thread meanwhile', async () => {
    const log = new MemoryLog();
    async function* source() {
      yield `${lines(600).join('\n')}\n`;
      await log.append('t', [{ type: 'warning', runId: 'r', message: 'own' }]);
    }
    await expect(importThread(log, source(), { id: 't' })).rejects.toMatchObject({ code: 'invalid_argument' });
    expect(await log.listThreads()).toEqual([]);
  });

  it('leaves no thread behind when the source fails, and gives its error', async () => {
    const log = new MemoryLog();
    async function* source() {
      yield whole;
      throw new Error('the disk is gone');
    }
    await expect(importThread(log, source())).rejects.toThrow('the disk is gone');
    expect(await log.listThreads()).toEqual([]);
  });

  it('makes a thread with the times of its events, and of those that close it', async () => {
    const log = new MemoryLog();
    const [day, next] = ['2020-01-01T00:00:00.000Z', '2020-01-02T00:00:00.000Z'];
    const events = [
      { type: 'harness_start', runId: 'r', agentId: 'a', ts: day },
      { type: 'text', runId: 'r', id: 't', content: 'x', ts: next },
    ];
    const { createdAt, updatedAt, id } = await importThread(
      log,
      events.map(event => `${JSON.stringify(event)}\n`),
    );
    expect([createdAt, updatedAt]).toEqual([day, next]);
    expect((await log.read(id)).at(-1)).toMatchObject({ type: 'harness_end', reason: 'interrupted', ts: next });
  });

  it('refuses an id that is taken, and leaves that thread alone', async () => {
    const log = new MemoryLog();
    await importThread(log, [whole], { id: 'a' });
    await expect(importThread(log, ['x'], { id: 'a' })).rejects.toMatchObject({ code: 'thread_exists' });
    expect(await exported(log, 'a')).toBe(whole);
  });
});

describe('export', () => {
  it('refuses an unknown thread', async () => {
    await expect(exported(new MemoryLog(), 'nobody')).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  it('refuses a line that is longer than an event may be, and reads no more of it', async () => {
    const log = new MemoryLog({ maxEventBytes: 10_000 });
    let chunks = 0;
    function* endless() {
      yield `${stored(1)}\n`;
      for (; chunks < 1_000; chunks++) yield 'x'.repeat(1_000);
    }
    await expect(importThread(log, endless())).rejects.toMatchObject({
      code: 'event_too_large',
      message: expect.stringContaining('Line 2'),
    });
    expect(chunks).toBeLessThan(20);
    expect(await log.listThreads()).toEqual([]);
  });
});
