import { constants } from 'node:buffer';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStream } from '../../test/support/random-events.ts';
import { type AgentEvent, getDefinition, type LoggedEvent } from '../events/vocabulary.ts';
import type { EventLog } from './event-log.ts';
import { MemoryLog } from './memory-log.ts';
import { ThreadWriter, type ThreadWriterOptions } from './thread-writer.ts';

/** A timer that goes off when the test says so. */
function manualTimer() {
  const due = new Set<() => void>();
  const waits: number[] = [];
  const schedule = (ms: number, callback: () => void) => {
    waits.push(ms);
    due.add(callback);
    return () => void due.delete(callback);
  };
  const goOff = () => {
    const callbacks = [...due];
    due.clear();
    for (const callback of callbacks) callback();
  };
  return { schedule, goOff, waits, pending: () => due.size };
}

async function setUp(options: ThreadWriterOptions = {}, wrap = (log: EventLog): EventLog => log) {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const timer = manualTimer();
  const writer = new ThreadWriter(wrap(log), id, { schedule: timer.schedule, ...options });
  const stored = () => log.read(id, { limit: 100_000 });
  return { log, id, writer, timer, stored };
}

/** The log, with an append that fails, after a while, as often as asked. */
function failing(log: EventLog, nextFails: () => boolean): EventLog {
  const wrapped = Object.create(log) as EventLog;
  wrapped.append = async (...args) => {
    if (nextFails()) {
      await new Promise(resolve => setImmediate(resolve));
      throw new Error('the store is away');
    }
    return log.append(...args);
  };
  return wrapped;
}

/** Few ids, some with characters that JSON escapes. */
const id = fc.constantFrom('a', 'b', 'c"\\\n', '\u2028\ud800');

const text = (content: string, fields: object = {}): AgentEvent => ({
  type: 'text',
  runId: 'r',
  id: 'a',
  content,
  ...fields,
});
const reasoning = (content: string): AgentEvent => ({ type: 'reasoning', runId: 'r', id: 'a', content });
const warning = (message: string): AgentEvent => ({ type: 'warning', runId: 'r', message });

const short = (events: readonly AgentEvent[]) =>
  events.map(event => {
    if (event.type === 'warning') return `!${event.message}`;
    if (event.type === 'text' || event.type === 'reasoning') return `${event.type[0]}:${event.id}:${event.content}`;
    return event.type;
  });

async function writeAll(writer: ThreadWriter, events: readonly AgentEvent[]): Promise<void> {
  for (const event of events) await writer.write(event);
}

describe('fragments', () => {
  it('are joined by run and id, in the order of their first fragments', async () => {
    const { writer, stored } = await setUp();
    await writeAll(writer, [
      text('1'),
      text('x', { id: 'b' }),
      text('2'),
      text('y', { id: 'b' }),
      text('z', { runId: 's' }),
      text('3'),
    ]);
    expect(await stored()).toEqual([]);
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:123', 't:b:xy', 't:a:z']);
    expect((await stored()).map(event => event.runId)).toEqual(['r', 'r', 's']);
  });

  it('wait for the window, which begins with the first of them', async () => {
    const { writer, timer, stored } = await setUp({ windowMs: 7 });
    await writeAll(writer, [text('1'), text('2')]);
    expect(timer.waits).toEqual([7]);
    timer.goOff();
    await writer.flush();
    await writer.write(text('3'));
    expect(short(await stored())).toEqual(['t:a:12']);
    expect(timer.waits).toEqual([7, 7]);
    timer.goOff();
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:12', 't:a:3']);
  });

  it('are stored by the window alone, when nothing else happens', async () => {
    const { writer, timer, log, id } = await setUp();
    await writer.write(text('1'));
    timer.goOff();
    for await (const event of log.tail(id)) {
      expect(event).toMatchObject({ content: '1', seq: 1 });
      break;
    }
  });

  it('wait until maxLength characters are there', async () => {
    const { writer, timer, stored } = await setUp({ maxLength: 5 });
    await writeAll(writer, [text('12'), text('34', { id: 'b' })]);
    expect(await stored()).toEqual([]);
    await writer.write(text('5'));
    expect(short(await stored())).toEqual(['t:a:125', 't:b:34']);
    expect(timer.pending()).toBe(0);
    await writer.write(text('123456'));
    expect(short(await stored())).toEqual(['t:a:125', 't:b:34', 't:a:123456']);
  });

  it('go before any other event, in one append with it', async () => {
    let appends = 0;
    const { writer, timer, stored } = await setUp({}, log => failing(log, () => ++appends < 0));
    await writeAll(writer, [text('1'), text('x', { id: 'b' }), text('2'), warning('w')]);
    expect(appends).toBe(1);
    expect(short(await stored())).toEqual(['t:a:12', 't:b:x', '!w']);
    expect(timer.pending()).toBe(0);
    await writer.write(text('3'));
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:12', 't:b:x', '!w', 't:a:3']);
  });

  it('of two types with one id keep their order', async () => {
    const { writer, stored } = await setUp();
    await writeAll(writer, [text('1'), text('2'), reasoning('3'), reasoning('4'), text('5')]);
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:12', 'r:a:34', 't:a:5']);
  });

  it('are not joined when another field differs, or exists in one only', async () => {
    const { writer, stored } = await setUp();
    const callId = { callId: 'c' };
    await writeAll(writer, [
      text('1'),
      text('2', callId),
      text('3', callId),
      text('4'),
      text('5', { extra: undefined }),
    ]);
    await writeAll(writer, [text('6', { extra: { deep: 1 } }), text('7', { extra: { deep: 2 } })]);
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:1', 't:a:23', 't:a:45', 't:a:6', 't:a:7']);
  });

  it('are joined over time and raw line, and keep the first of these', async () => {
    const { writer, stored } = await setUp();
    await writeAll(writer, [
      text('1', { ts: '2025-01-01T00:00:00Z', line: 4 }),
      text('2', { ts: '2025-01-01T00:00:01Z', line: 5 }),
    ]);
    await writer.flush();
    expect(await stored()).toEqual([text('12', { ts: '2025-01-01T00:00:00Z', line: 4, seq: 1 })]);
  });

  it('of stdout and stderr are not joined', async () => {
    const { writer, stored } = await setUp();
    const chunk = (stream: 'stdout' | 'stderr'): AgentEvent => ({
      type: 'repl_progress',
      runId: 'r',
      id: 'a',
      chunk: 'x',
      stream,
    });
    await writeAll(writer, [chunk('stdout'), chunk('stdout'), chunk('stderr'), chunk('stdout')]);
    await writer.flush();
    expect((await stored()).map(event => event.type === 'repl_progress' && event.chunk)).toEqual(['xx', 'x', 'x']);
  });

  it('are not reached by later changes to the object', async () => {
    const { writer, stored } = await setUp();
    const event = { type: 'text' as const, runId: 'r', id: 'a', content: '1' };
    await writer.write(event);
    event.content = 'changed';
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:1']);
  });
});

describe('plain events that are passed', () => {
  const step = (n: number): AgentEvent => ({ type: 'step_start', runId: 'r', step: n });
  const said: AgentEvent = { type: 'user', runId: 'r', content: 'go on' };
  const types = (events: readonly AgentEvent[]) => events.map(({ type }) => type);

  it('are stored in order with the barrier that follows, in one append; nothing is joined over them', async () => {
    let appends = 0;
    const { writer, stored } = await setUp({}, log => failing(log, () => ++appends < 0));
    for (const event of [text('1'), step(0), text('2'), text('3'), step(1)])
      expect(writer.pass(event)).toBe(ThreadWriter.accepted);
    expect(await stored()).toEqual([]);
    expect(writer.seq).toBeUndefined();
    await writer.pass(said);
    expect(types(await stored())).toEqual(['text', 'step_start', 'text', 'step_start', 'user']);
    expect(short(await stored())[2]).toBe('t:a:23');
    expect([appends, writer.seq]).toEqual([1, 5]);
  });

  it('are stored by the window alone, and when enough waits', async () => {
    const { writer, timer, stored } = await setUp({ maxLength: 80 });
    await writer.pass(step(0));
    expect(timer.waits).toEqual([32]);
    timer.goOff();
    await writer.flush();
    expect(types(await stored())).toEqual(['step_start']);
    await writer.pass(step(1));
    await writer.pass(step(2));
    expect(types(await stored())).toEqual(['step_start', 'step_start', 'step_start']);
    expect(timer.pending()).toBe(0);
  });

  it('have the time at which they were passed', async () => {
    let now = Date.parse('2026-01-01T00:00:00Z');
    const log = new MemoryLog({ now: () => now });
    const { id } = await log.createThread();
    const writer = new ThreadWriter(log, id);
    await writer.pass(step(0));
    await writer.pass({ ...step(1), ts: '2026-01-01T00:00:00.010Z' });
    await writer.write({ type: 'text', runId: 'r', id: 't', content: 'a' });
    now += 20;
    await writer.pass(step(2));
    now += 10;
    await writer.pass(said);
    expect((await log.read(id)).map(({ ts }) => ts)).toEqual([
      '2026-01-01T00:00:00.000Z',
      '2026-01-01T00:00:00.010Z',
      '2026-01-01T00:00:00.020Z',
      '2026-01-01T00:00:00.020Z',
      '2026-01-01T00:00:00.030Z',
    ]);
  });

  it('are refused when they are no events, and not lost when the store is away', async () => {
    let fails = 1;
    const { writer, stored } = await setUp({}, log => failing(log, () => fails-- > 0));
    await expect(writer.pass({ type: 'step_start', runId: 'r' } as AgentEvent)).rejects.toMatchObject({
      code: 'invalid_event',
    });
    await writer.pass(step(0));
    await expect(writer.pass(said)).rejects.toThrow('the store is away');
    await writer.flush();
    expect(types(await stored())).toEqual(['step_start', 'user']);
  });
});

/** What was written to each stream and, in its place, every event that is not a fragment. */
function streamsOf(events: readonly AgentEvent[]): Map<string, string> {
  const streams = new Map<string, string>();
  for (const event of events) {
    const { fragment } = getDefinition(event.type) ?? {};
    const fields = event as unknown as Record<string, string>;
    const key = fragment === undefined ? 'others' : JSON.stringify([event.runId, event.type, fields['id']]);
    const { seq: _, ts: __, ...rest } = event;
    const piece = fragment === undefined ? JSON.stringify(rest) : (fields[fragment] ?? '');
    streams.set(key, (streams.get(key) ?? '') + piece);
  }
  return streams;
}

describe('whatever is written', () => {
  it('is in the log: each stream the same text, all other events as they were, in their order', async () => {
    await fc.assert(
      fc.asyncProperty(
        eventStream(),
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.constantFrom('write', 'pass', 'window', 'fail'), { maxLength: 30 }),
        async (events, maxLength, steps) => {
          let fails = 0;
          const { writer, timer, stored } = await setUp({ maxLength }, log => failing(log, () => fails-- > 0));
          const writes: Promise<void>[] = [];
          for (const [index, event] of events.entries()) {
            const step = steps[index % (steps.length + 1)];
            if (step === 'fail') fails = 2;
            writes.push((step === 'pass' ? writer.pass(event) : writer.write(event)).catch(() => {}));
            if (step === 'window') timer.goOff();
            if (step === 'write') await Promise.all(writes);
          }
          await Promise.all(writes);
          fails = 0;
          await writer.flush();
          const log: LoggedEvent[] = await stored();
          expect(streamsOf(log)).toEqual(streamsOf(events));
          expect(log.map(event => event.seq)).toEqual(log.map((_, index) => index + 1));
        },
      ),
      { numRuns: 200 },
    );
  });

  it('is emitted as JSON holds it, whatever its fields are', async () => {
    const simple = fc.constantFrom('x', 1, true, -0, undefined, Number.NaN, null);
    // Fields that the event defines have values of their own.
    const defined = new Set(['ts', 'seq', 'line', 'code', 'parentId', 'sessionId', 'agentId']);
    const name = fc.string().filter(key => !defined.has(key));
    const fields = fc.oneof(fc.dictionary(name, simple), fc.dictionary(name, fc.anything()));
    await fc.assert(
      fc.asyncProperty(fields, async fields => {
        const { log, id, writer } = await setUp();
        const tail = log.tail(id)[Symbol.asyncIterator]();
        const event = { ...fields, ...warning('w') };
        let text: string;
        try {
          text = JSON.stringify(event);
        } catch {
          return;
        }
        const next = tail.next();
        await new Promise(resolve => setImmediate(resolve));
        await writer.write(event);
        const { seq: _, ts: __, ...emitted } = (await next).value as LoggedEvent;
        expect(emitted).toEqual(JSON.parse(text));
        expect(JSON.stringify(emitted)).toBe(text);
        await tail.return?.();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a failing store', () => {
  it('loses nothing: the call rejects, and flush tries again in order', async () => {
    let fails = 3;
    const { writer, stored } = await setUp({}, log => failing(log, () => fails-- > 0));
    await writer.write(text('1'));
    await expect(writer.write(warning('w'))).rejects.toThrow('the store is away');
    await writer.write(text('2'));
    await expect(writer.flush()).rejects.toThrow('the store is away');
    await expect(writer.write(warning('v'))).rejects.toThrow('the store is away');
    expect(await stored()).toEqual([]);
    await writer.flush();
    expect(short(await stored())).toEqual(['t:a:1', '!w', 't:a:2', '!v']);
    await writer.flush();
    expect(await stored()).toHaveLength(4);
  });

  it('keeps the order of what is written while an append is on its way and then fails', async () => {
    let fails = 1;
    const { writer, stored } = await setUp({}, log => failing(log, () => fails-- > 0));
    const first = writer.write(warning('1'));
    await Promise.resolve();
    const others = [warning('2'), text('3'), warning('4')].map(event => writer.write(event));
    await expect(first).rejects.toThrow('the store is away');
    await Promise.all(others);
    expect(short(await stored())).toEqual(['!1', '!2', 't:a:3', '!4']);
  });
});

describe('a slow store', () => {
  it('holds the writer back when it is behind by maxLength, so that nothing piles up', async () => {
    let arrive = () => {};
    const arrived = new Promise<void>(resolve => (arrive = resolve));
    const slow = (log: EventLog): EventLog => {
      const wrapped = Object.create(log) as EventLog;
      wrapped.append = (...args) => arrived.then(() => log.append(...args));
      return wrapped;
    };
    const { writer, timer, stored } = await setUp({ maxLength: 10 }, slow);
    await writer.write(text('12345'));
    timer.goOff();
    let accepted = false;
    const held = writer.write(text('67890')).then(() => (accepted = true));
    await new Promise(resolve => setImmediate(resolve));
    expect(accepted).toBe(false);
    arrive();
    await held;
    expect((await stored()).map(event => event.type === 'text' && event.content)).toEqual(['12345', '67890']);
    await writer.write(text('after'));
  });
});

describe('write', () => {
  it('resolves for an event that is no fragment only when it and all before it are stored', async () => {
    let open: () => void = () => {};
    const gate = new Promise<void>(resolve => {
      open = resolve;
    });
    const { writer, stored } = await setUp({}, log => {
      const wrapped = Object.create(log) as EventLog;
      wrapped.append = async (...args) => {
        await gate;
        return log.append(...args);
      };
      return wrapped;
    });
    const order: string[] = [];
    await writer.write(text('1'));
    const first = writer.write(warning('w')).then(() => order.push('first'));
    const second = writer.write(warning('v')).then(() => order.push('second'));
    for (let turn = 0; turn < 5; turn++) await new Promise(resolve => setImmediate(resolve));
    expect(order).toEqual([]);
    open();
    await first;
    expect(short(await stored()).slice(0, 2)).toEqual(['t:a:1', '!w']);
    await second;
    expect(order).toEqual(['first', 'second']);
    expect(short(await stored())).toEqual(['t:a:1', '!w', '!v']);
  });

  it('refuses what is not an event, and continues with everything else', async () => {
    const { writer, stored } = await setUp();
    await writer.write(text('1'));
    await expect(writer.write({ type: 'text', runId: 'r' } as AgentEvent)).rejects.toMatchObject({
      code: 'invalid_event',
    });
    await expect(writer.write(text(2 as unknown as string))).rejects.toMatchObject({ code: 'invalid_event' });
    await expect(writer.write({ type: 'warning', runId: 'r' } as AgentEvent)).rejects.toMatchObject({
      code: 'invalid_event',
    });
    await writeAll(writer, [text('2'), warning('w')]);
    expect(short(await stored())).toEqual(['t:a:12', '!w']);
  });

  it('changes the metadata of the thread in the moment an event is stored, also when that takes two attempts', async () => {
    let isAway = true;
    const { writer, log, id, stored } = await setUp({}, inner => failing(inner, () => isAway));
    await writer.write(text('1'));
    await expect(writer.write(warning('w'), { open: true })).rejects.toThrow('the store is away');
    expect((await log.getThread(id))?.metadata).toEqual({});
    isAway = false;
    await writer.write(warning('v'), { more: 1 });
    expect(short(await stored())).toEqual(['t:a:1', '!w', '!v']);
    expect((await log.getThread(id))?.metadata).toEqual({ open: true, more: 1 });
  });

  it('stores fragments as they are, whatever is in them', async () => {
    const fragment = fc.record({ runId: id, id, content: fc.string({ unit: 'binary', maxLength: 8 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 20 }), fc.boolean(), async (fragments, isText) => {
        const { writer, stored } = await setUp();
        // Those of different calls are not joined.
        const events = fragments.map((fields, n): AgentEvent => {
          return { type: isText ? 'text' : 'reasoning', ...fields, callId: `"${n}` };
        });
        await writeAll(writer, events);
        await writer.flush();
        expect(await stored()).toEqual(events.map((event, n) => ({ ...event, seq: n + 1, ts: expect.any(String) })));
      }),
      { numRuns: 60 },
    );
  });

  it('proves its right to write with the lease', async () => {
    const { log, id, stored } = await setUp();
    const lease = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    const writer = new ThreadWriter(log, id, { lease });
    await writer.write(warning('w'));
    await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    await expect(writer.write(warning('v'))).rejects.toMatchObject({ code: 'lease_lost' });
    expect(short(await stored())).toEqual(['!w']);
  });

  it('keeps an event of a type it does not know', async () => {
    const { writer, stored } = await setUp();
    await writer.write({ type: 'not_yet_invented', runId: 'r', body: 1 } as unknown as AgentEvent);
    expect(await stored()).toMatchObject([{ type: 'not_yet_invented', body: 1 }]);
  });
});

describe('an event that is too long for the log', () => {
  it('is refused, whatever it is, and hinders nothing else', async () => {
    const log = new MemoryLog({ maxEventBytes: 300_000 });
    const { id } = await log.createThread();
    const writer = new ThreadWriter(log, id);
    const long = 'é'.repeat(150_000);
    const endless = { toJSON: () => 'x'.repeat(2 ** 31 - 1) };
    const tooLong = [
      text(long),
      warning(long),
      text('\u0001'.repeat(50_000)),
      // As long as a text can be: nobody writes it, so it takes no memory.
      text('x'.repeat(constants.MAX_STRING_LENGTH)),
      { ...warning('a'), data: endless },
    ];
    await writer.write(text('before'));
    for (const event of tooLong) {
      await expect(writer.write(event)).rejects.toMatchObject({ code: 'event_too_large' });
      await expect(writer.pass(event)).rejects.toMatchObject({ code: 'event_too_large' });
    }
    await writer.write(text('x'.repeat(250_000)));
    await writer.write(text('after'));
    await writer.flush();
    const stored = await log.read(id);
    expect(stored.map(event => (event.type === 'text' ? event.content.length : 0))).toEqual([6, 250_000, 5]);
  });
});
