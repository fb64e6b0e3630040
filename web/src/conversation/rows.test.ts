import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/events/vocabulary.ts';
import { foldAll } from '../../../src/projections/fold.ts';
import { threadReading } from '../../../src/projections/reading/thread-reading.ts';
import { Folds } from './folds.ts';
import { openFoldsAt } from './open-folds.ts';
import { type Row, rowAt, buildRows } from './rows.ts';

const whole = { firstSeq: 1, hasEarlier: false, hasLater: false };
const logged = (events: readonly AgentEvent[]) => events.map((event, index) => ({ ...event, seq: index + 1 }));
const shownOf = (events: readonly AgentEvent[]) => Object.assign(foldAll(threadReading, logged(events)), whole);
const rowsFrom = (events: readonly AgentEvent[], folds = new Folds()) => buildRows(shownOf(events), folds);
const nameOf = (row: Row) =>
  row.kind === 'part'
    ? row.part.kind === 'tool'
      ? row.part.id
      : row.part.kind
    : `${row.kind}${'.'.repeat(row.depth)}`;
const call = (runId: string, id: string, output?: object): AgentEvent[] => [
  { type: 'tool_call', runId, id, name: 'bash', input: {} },
  ...(output === undefined ? [] : [{ type: 'tool_result', runId, id, name: 'bash', output } as const]),
];
const begin: AgentEvent[] = [
  { type: 'user', runId: 'u', content: 'Go.' },
  { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u:user' },
];
const end: AgentEvent = { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' };
const text: AgentEvent = { type: 'text', runId: 'r', id: 't', content: 'Done.' };
const ok = { context: 'ok' };
const work = ['a', 'b', 'c', 'd'].flatMap(id => call('r', id, id === 'c' ? { error: 'no' } : ok));

describe('the rows of a conversation', () => {
  it('are the parts of its messages, each with the seq of its first event', () => {
    const rows = rowsFrom([...begin, ...call('r', 'a', ok), text, end]);
    expect(rows.map(nameOf)).toEqual(['edge', 'user', 'head', 'a', 'text', 'end']);
    expect(rows.slice(1, -1).map(({ seq }) => seq)).toEqual([1, 3, 3, 5]);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
  });

  it('have nested runs after the call that started them, folded when they had ended at first sight', () => {
    const nested = (over: boolean): AgentEvent[] => [
      ...begin,
      ...call('r', 'a'),
      { type: 'harness_start', runId: 's', agentId: 'b', parentId: 'a' },
      { type: 'text', runId: 's', id: 'st', content: 'Inside.' },
      ...(over ? [{ type: 'harness_end', runId: 's', agentId: 'b', reason: 'complete' } as const] : []),
    ];
    expect(rowsFrom(nested(true)).map(nameOf)).toEqual(['edge', 'user', 'head', 'a', 'head.', 'end']);
    const folds = new Folds();
    const open = ['edge', 'user', 'head', 'a', 'head.', 'text', 'end'];
    expect(rowsFrom(nested(false), folds).map(nameOf)).toEqual(open);
    expect(rowsFrom(nested(true), folds).map(nameOf)).toEqual(open);
  });

  it('fold the work of a run that had ended at first sight, but for its failures', () => {
    const events = [...begin, ...work, text, end];
    const folds = new Folds();
    expect(rowsFrom(events, folds).map(nameOf)).toEqual(['edge', 'user', 'head', 'work', 'c', 'text', 'end']);
    folds.set('work of r', true);
    expect(rowsFrom(events, folds).map(nameOf).slice(3, 8)).toEqual(['work', 'a', 'b', 'c', 'd']);
  });

  it('stay open when the reader saw the run at work', () => {
    const folds = new Folds();
    rowsFrom([...begin, ...work], folds);
    expect(rowsFrom([...begin, ...work, text, end], folds).map(nameOf)).toContain('a');
  });

  it('are found by the event they show, which opens what is folded around it', () => {
    const events = [...begin, ...work, text, end];
    const shown = shownOf(events);
    const folds = new Folds();
    buildRows(shown, folds);
    expect(openFoldsAt(shown.nodeList, 4, folds)).toBe(true);
    const rows = buildRows(shown, folds);
    expect(rows[rowAt(rows, 4, 'a')]).toMatchObject({ part: { id: 'a' } });
    expect(rows[rowAt(rows, 11)]).toMatchObject({ part: { kind: 'text' } });
    expect(openFoldsAt(shown.nodeList, 4, folds)).toBe(false);
  });
});
