import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { readWindow } from '../../log/window.ts';
import { threadReading } from '../../projections/reading/thread-reading.ts';
import { ThreadRanges } from '../../projections/reading/ranges/thread-ranges.ts';
import { textOfLine } from '../screen/styled-line.ts';
import { RowFeed } from './row-feed.ts';
import type { Row } from './row.ts';
import { EventTimes } from './times.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, at) => ({ ...event, seq: at + 1, ts: new Date(1_000 * (at + 1)).toISOString() }));
const user = (content: string, runId = 'u'): AgentEvent => ({ type: 'user', runId, content });
const start: AgentEvent = { type: 'harness_start', runId: 'r', parentId: 'u:user', agentId: 'coder' };
const end = (reason: 'complete' | 'aborted' = 'complete'): AgentEvent => ({
  type: 'harness_end',
  runId: 'r',
  agentId: 'coder',
  reason,
});
const text = (content: string, id = 't'): AgentEvent => ({ type: 'text', runId: 'r', id, content });
const call = (id: string, name: string, input: Record<string, unknown>, output: object): AgentEvent[] => [
  { type: 'tool_call', runId: 'r', id, name, input },
  { type: 'tool_start', runId: 'r', id, name },
  { type: 'tool_result', runId: 'r', id, name, output },
];
const read = (id: string, path: string) => call(id, 'read', { path }, { context: 'one\ntwo' });

/** The rows of a log; the view is taken after these events, and at the end. */
function rowsOf(events: readonly LoggedEvent[], takenAfter: (seq: number) => boolean = () => true): Row[] {
  const times = new EventTimes();
  const feed = new RowFeed({ cwd: '/project', times, hint: 'Ctrl+O' });
  const rows: Row[] = [];
  let state = threadReading.initial;
  for (const event of events) {
    state = threadReading.step(state, event);
    times.take(event);
    if (takenAfter(event.seq)) rows.push(...feed.take(threadReading.view(state)));
  }
  return [...rows, ...feed.take(threadReading.view(state))];
}

/** The rows of a log whose reading drops what is long ago and not held; taken after these events, and at the end. */
async function droppedRowsOf(events: readonly LoggedEvent[], takenAfter: (seq: number) => boolean): Promise<Row[]> {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const times = new EventTimes();
  const feed = new RowFeed({ cwd: '/project', times, hint: 'Ctrl+O' });
  const { signal } = new AbortController();
  const ranges = new ThreadRanges({ read: part => readWindow(log, id, part), limit: 4, signal, changed: () => {} });
  ranges.hold(0);
  const rows: Row[] = [];
  const take = () => {
    const reading = ranges.view();
    rows.push(...feed.take(reading));
    ranges.hold(feed.openSeq(reading));
  };
  for (const event of events) {
    ranges.take(event);
    ranges.drop();
    times.take(event);
    if (takenAfter(event.seq)) take();
  }
  take();
  ranges.drop();
  expect(ranges.view().firstSeq, 'something is dropped').toBeGreaterThan(1);
  return rows;
}

const shown = (rows: readonly Row[], width = 80) => rows.flatMap(row => row.lines(width).map(textOfLine));
const linesOf = (...events: readonly AgentEvent[]) => shown(rowsOf(logged([user('Go.'), start, ...events])));

/** What the agent does at a time after these events. */
function doingAt(now: number, ...events: readonly AgentEvent[]) {
  const times = new EventTimes();
  const feed = new RowFeed({ cwd: '/project', times, hint: 'Ctrl+O' });
  const all = logged([user('Go.'), start, ...events]);
  for (const event of all) times.take(event);
  const view = threadReading.view(all.reduce(threadReading.step, threadReading.initial));
  feed.take(view);
  return feed.doing(view, now);
}

describe('the rows of a thread', () => {
  it('are the same when what was printed is dropped from the reading', async () => {
    const turn = (at: number, steps: number): AgentEvent[] => [
      user(`Question ${at}`, `u${at}`),
      { type: 'harness_start', runId: `r${at}`, parentId: `u${at}:user`, agentId: 'coder' },
      ...Array.from({ length: steps }, (_, step): AgentEvent[] => {
        const [runId, id] = [`r${at}`, `${at}-${step}`];
        return [
          { type: 'step_start', runId, step, callId: `m-${id}` },
          { type: 'text', runId, id: `t-${id}`, content: `Step ${id} of the work.\n\nNow ` },
          { type: 'text', runId, id: `t-${id}`, content: 'this.' },
          { type: 'tool_call', runId, id: `c-${id}`, name: 'bash', input: { command: `run ${id}` } },
          { type: 'tool_start', runId, id: `c-${id}`, name: 'bash' },
          { type: 'tool_result', runId, id: `c-${id}`, name: 'bash', output: { context: 'ok' } },
        ];
      }).flat(),
      { type: 'harness_end', runId: `r${at}`, agentId: 'coder', reason: 'complete' },
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 12, maxLength: 30 }),
        fc.array(fc.boolean(), { minLength: 7, maxLength: 60 }),
        async (steps, mask) => {
          const events = logged(steps.flatMap((count, at) => turn(at, count)));
          const takenAfter = (seq: number) => mask[seq % mask.length] === true;
          expect(shown(await droppedRowsOf(events, takenAfter))).toEqual(shown(rowsOf(events, takenAfter)));
        },
      ),
      { numRuns: 60 },
    );
  });

  it('show messages, text, calls with their objects, and the end', () => {
    const lines = linesOf(
      text('Let me **look**.\n\nNow.'),
      ...read('c', '/project/src/a.ts'),
      text('Done.', 't2'),
      end(),
    );
    expect(lines).toEqual(['› Go.', 'Let me look.', '', 'Now.', '• Read src/a.ts · 2 lines · 1.0 s', 'Done.', '6.0 s']);
  });

  it('show the end of a line that is written, in lines that stay in their place', () => {
    const times = new EventTimes();
    const feed = new RowFeed({ cwd: '/project', times, hint: 'Ctrl+O' });
    const openAt = (length: number, most: number) => {
      const state = logged([user('Go.'), start, text('0123456789'.repeat(100_000).slice(0, length))]).reduce(
        threadReading.step,
        threadReading.initial,
      );
      feed.take(threadReading.view(state));
      return feed.open(threadReading.view(state), 10, 0, most).map(textOfLine).slice(-2);
    };
    expect(openAt(15, 5)).toEqual(['0123456789', '01234']);
    expect(openAt(105, 5)).toEqual(['0123456789', '01234']);
    expect(openAt(1_000, 3)).toEqual(['0123456789', '0123456789']);
  });

  it('group reads that follow each other, and name each file', () => {
    expect(linesOf(...read('a', 'a.ts'), ...read('b', 'b.ts'), text('Ok.'), end())).toContain(
      '• Read 2 files: a.ts, b.ts',
    );
  });

  it('show the change of an edit, side by side in a wide window', () => {
    const edit = call(
      'e',
      'edit',
      { path: 'a.ts', old_string: 'x\nold\ny', new_string: 'x\nnew\ny' },
      { context: 'ok' },
    );
    const rows = rowsOf(logged([user('Go.'), start, ...edit, end()]));
    expect(shown(rows)).toEqual(expect.arrayContaining(['• Edited a.ts · +1 −1 · 1.0 s', '  x', '- old', '+ new']));
    expect(shown(rows, 130).some(line => /^- old +│ \+ new$/.test(line))).toBe(true);
  });

  it('cut long output, and say how much is hidden', () => {
    const output = Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n');
    const rows = rowsOf(
      logged([user('Go.'), start, ...call('b', 'bash', { command: 'seq 50' }, { context: output }), end()]),
    );
    expect(shown(rows)).toEqual(
      expect.arrayContaining(['• Ran $ seq 50 · 1.0 s', 'line 0', '… 46 lines hidden (Ctrl+O) …', 'line 49']),
    );
    const row = rows.find(({ kind }) => kind === 'tool');
    expect(row?.whole?.(80).map(textOfLine)).toContain('line 25');
  });

  it('show calls of a model that failed and were tried again as one row, after a line that counts down', () => {
    const failed: AgentEvent = {
      type: 'warning',
      runId: 'r',
      code: 'model_rate_limit',
      message: 'Slow down. Trying again in 3 s.',
      retryAfterMs: 3_000,
    };
    expect(linesOf(failed, failed)).toEqual(['› Go.']);
    expect(doingAt(5_000, failed, failed)).toEqual({ words: 'Rate limited', until: 7_000 });
    expect(doingAt(8_000, failed, failed)).toEqual({ words: 'Waiting for the model', since: 7_000 });
    expect(linesOf(failed, failed, text('Ok.'), end())).toEqual([
      '› Go.',
      '! Slow down. · 2 times, tried again',
      'Ok.',
      '4.0 s',
    ]);
    expect(linesOf(failed, end('aborted'))).toEqual(['› Go.', '! Slow down. · not tried again', '■ stopped · 2.0 s']);
  });

  it('name who stopped a turn', () => {
    const stop = (by?: string): AgentEvent => ({ type: 'abort_requested', runId: 'r', ...(by && { by }) });
    const lastLine = (...events: readonly AgentEvent[]) => linesOf(text('Hm.'), ...events, end('aborted')).at(-1);
    expect(lastLine(stop())).toBe('■ stopped by you · 3.0 s');
    expect(lastLine(stop('ada'))).toBe('■ stopped by ada · 3.0 s');
    expect(lastLine()).toBe('■ stopped · 2.0 s');
  });

  it('say what is done since when: a text from its first word on, a stop from its request on', () => {
    expect(doingAt(9_000, text('One'), text(' two'), text(' three'))).toEqual({ words: 'Writing', since: 3_000 });
    const stop: AgentEvent = { type: 'abort_requested', runId: 'r' };
    expect(doingAt(9_000, text('One'), stop)).toMatchObject({ words: 'Stopping', since: 4_000 });
  });

  it('mark an answer that was cut off and begun again', () => {
    const step: AgentEvent = { type: 'step_start', runId: 'r', step: 0 };
    const lines = linesOf(step, text('Half\n\nan ans'), step, text('Whole.', 't2'), end());
    expect(lines).toEqual([
      '› Go.',
      'Half',
      '↩ The answer above was cut off: the model tries again.',
      'Whole.',
      expect.anything(),
    ]);
  });

  it('show another branch after a line that marks it', () => {
    const again: AgentEvent = { type: 'user', runId: 'v', content: 'Else.', parentMessageId: '' };
    expect(linesOf(text('One.'), end(), again)).toEqual([
      '› Go.',
      'One.',
      expect.anything(),
      '↩ From the start, another way:',
      '› Else.',
    ]);
  });

  it('are the same rows however often the view is taken, and whatever the chunks of the text are', () => {
    const pieces = [
      '# Head\n',
      'some *words*\n',
      '\n',
      '- item\n',
      '  more\n',
      '```ts\n',
      'const a = 1;\n',
      '```\n',
      '| a | b |\n|---|---|\n| 1 | 2 |\n',
      '1. one\n',
      '> quote\n',
      '---\n',
      `${'long '.repeat(1_000)}\n`,
      'end',
    ];
    const prose = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map(all => all.join(''));
    const part = fc.oneof(
      prose.map(content => ({ kind: 'text' as const, content })),
      fc.constant({ kind: 'read' as const }),
      fc.constant({ kind: 'reasoning' as const }),
      fc.constant({ kind: 'failed' as const }),
    );
    const cuts = fc.infiniteStream(fc.integer({ min: 1, max: 40 }));
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), cuts, fc.infiniteStream(fc.boolean()), (parts, sizes, taken) => {
        const events: AgentEvent[] = [user('Go.'), start];
        const whole: AgentEvent[] = [user('Go.'), start];
        for (const [at, each] of parts.entries()) {
          if (each.kind !== 'text') {
            const more: AgentEvent[] =
              each.kind === 'read'
                ? read(`c${at}`, `f${at}.ts`)
                : each.kind === 'reasoning'
                  ? [{ type: 'reasoning', runId: 'r', id: `x${at}`, content: 'Hm.' }]
                  : call(`c${at}`, 'bash', { command: 'no' }, { error: 'broke' });
            events.push(...more);
            whole.push(...more);
            continue;
          }
          whole.push(text(each.content, `t${at}`));
          for (let from = 0; from < each.content.length; ) {
            const size = sizes.next().value as number;
            events.push(text(each.content.slice(from, from + size), `t${at}`));
            from += size;
          }
        }
        const withoutTimes = (rows: readonly Row[]) =>
          shown(rows).map(line => line.replaceAll(/[\d.]+ (?:ms|s|min \d+ s)/g, 'T'));
        const often = withoutTimes(rowsOf(logged([...events, end()]), () => taken.next().value as boolean));
        expect(often).toEqual(withoutTimes(rowsOf(logged([...whole, end()]), () => false)));
      }),
      { numRuns: 100 },
    );
  });
});
