import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStream } from '../../test/support/random-events.ts';
import type { AgentEvent, LoggedEvent } from '../events/index.ts';
import { threadView } from './thread-view.ts';
import type { ItemView, RunView } from './thread-view-tree.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ts: '2026-01-01T00:00:00.000Z' }));
const fold = (events: readonly LoggedEvent[]) => events.reduce(threadView.step, threadView.initial);
const view = (...events: AgentEvent[]) => threadView.view(fold(logged(events)));

const runId = 'r';
const user: AgentEvent = { type: 'user', runId, content: 'hello' };
const start: AgentEvent = { type: 'harness_start', runId, agentId: 'demo' };
const end = (reason: 'complete' | 'aborted' | 'error' | 'interrupted'): AgentEvent => ({
  type: 'harness_end',
  runId,
  agentId: 'demo',
  reason,
});
const step = (number: number): AgentEvent => ({ type: 'step_start', runId, step: number });
const text = (content: string, id = 't'): AgentEvent => ({ type: 'text', runId, id, content });
const call = (id = 'c'): AgentEvent => ({ type: 'tool_call', runId, id, name: 'shell', input: { command: 'ls' } });
const toolStart: AgentEvent = { type: 'tool_start', runId, id: 'c', name: 'shell' };
const result = (output: object): AgentEvent =>
  ({ type: 'tool_result', runId, id: 'c', name: 'shell', output }) as AgentEvent;
const permission: AgentEvent = {
  type: 'relay',
  runId,
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'shell',
  params: { command: 'ls' },
};
const answer = (outcome: 'approve' | 'reject' | 'cancelled'): AgentEvent => ({
  type: 'relay_resolved',
  runId,
  relayId: 'q',
  outcome,
});

const child = (event: AgentEvent): AgentEvent => ({ ...event, runId: 'kid', parentId: 'c' });
const other = (event: AgentEvent): AgentEvent => ({ ...event, runId: 'other' });

function runOf(...events: AgentEvent[]): RunView {
  const entry = view(...events).entries.find(each => each.kind === 'run');
  if (entry?.kind !== 'run') throw new Error('expected a run');
  return entry.run;
}

/** The items in short: kind and what is in them. */
const brief = (items: readonly ItemView[]): string[] =>
  items.map(item => {
    if (item.kind === 'text' || item.kind === 'reasoning') return `${item.kind} ${item.content}`;
    if (item.kind === 'tool') return `tool ${item.id} ${item.status}`;
    if (item.kind === 'relay') return `relay ${item.id} ${item.status}`;
    return item.kind;
  });

describe('a conversation', () => {
  it('has the message, then the run with its text joined', () => {
    const { entries, running } = view(user, start, step(0), text('Hel'), text('lo'), end('complete'));
    expect(entries.map(entry => entry.kind)).toEqual(['user', 'run']);
    expect(brief(runOf(user, start, step(0), text('Hel'), text('lo')).items)).toEqual(['text Hello']);
    expect(running).toEqual([]);
  });

  it('keeps a message that came during a run where it came', () => {
    const run = runOf(user, start, step(0), text('a'), { ...user, content: 'wait' }, step(1), text('b'));
    expect(brief(run.items)).toEqual(['text a', 'user', 'text b']);
  });

  it('shows a run as running until its end is there', () => {
    expect(view(user, start, text('a')).running.map(run => run.runId)).toEqual(['r']);
    expect(runOf(start, end('aborted')).status).toBe('aborted');
  });

  it('has a change of settings between the runs, and does not take it for a run', () => {
    const { entries, running } = view({ type: 'mode_changed', runId: 'control', modeId: 'plan' });
    expect(entries).toMatchObject([{ kind: 'notice', message: 'Mode: plan' }]);
    expect(running).toEqual([]);
  });

  it('separates texts of one id by step, and keeps fragments that arrive around a call together', () => {
    expect(brief(runOf(start, step(0), text('a'), call(), text('b'), step(1), text('c')).items)).toEqual([
      'text ab',
      'tool c running',
      'text c',
    ]);
  });

  it('sums usage over all runs, and has a cost only when one was told', () => {
    const usage: AgentEvent = { type: 'usage', runId, inputTokens: 10, outputTokens: 2 };
    expect(view(usage, { ...usage, runId: 'other' }).usage).toEqual({ inputTokens: 20, outputTokens: 4 });
    expect(view(usage, { ...usage, cost: 0.5 }).usage.cost).toBe(0.5);
  });

  it('has errors and warnings as lines, and one task list, the newest', () => {
    const tasks = (content: string): AgentEvent => ({
      type: 'tasks',
      runId,
      tasks: [{ id: '1', content, status: 'pending' }],
    });
    const run = runOf(
      start,
      { type: 'warning', runId, message: 'careful' },
      tasks('old'),
      { type: 'error', runId, message: 'broken' },
      tasks('new'),
    );
    expect(run.items).toMatchObject([
      { kind: 'notice', level: 'warning', message: 'careful' },
      { kind: 'notice', level: 'error', message: 'broken' },
      { kind: 'tasks', tasks: [{ content: 'new' }] },
    ]);
  });

  it('shows the runs that code started inside of it, and what a subagent said as a line', () => {
    const { entries } = view(
      { type: 'harness_start', runId, agentId: 'a' },
      { type: 'repl_input', runId, id: 'x', code: 'llm_query()' },
      { type: 'harness_start', runId: 'q', agentId: 'llm_query', parentId: 'x' },
      { type: 'text', runId: 'q', id: 't', content: 'answer' },
      { type: 'harness_end', runId: 'q', agentId: 'llm_query', reason: 'complete' },
      { type: 'user', runId, content: 'The subagent said …', by: 'helper' },
    );
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      run: {
        items: [
          { kind: 'repl', runs: [{ items: [{ content: 'answer' }] }] },
          { kind: 'notice', level: 'info' },
        ],
      },
    });
  });

  it('joins what an execution prints, and takes the whole when it ends', () => {
    const input: AgentEvent = { type: 'repl_input', runId, id: 'x', code: 'print(1)' };
    const chunk: AgentEvent = { type: 'repl_progress', runId, id: 'x', chunk: '1', stream: 'stdout' };
    const output: AgentEvent = { type: 'repl_output', runId, id: 'x', stdout: '12', done: false, error: 'oops' };
    expect(runOf(input, chunk, chunk).items).toMatchObject([{ printed: '11', ended: false }]);
    expect(runOf(input, chunk, output).items).toMatchObject([{ printed: '12', ended: true, error: 'oops' }]);
  });
});

describe('a tool call', () => {
  const delta: AgentEvent = { type: 'tool_input_delta', runId, id: 'c', name: 'shell', delta: '{"command"' };
  const rows: [string, AgentEvent[], string][] = [
    ['its arguments are written', [delta], 'preparing'],
    ['it was called and nobody is asked', [call()], 'running'],
    ['a person is asked', [call(), permission], 'waiting'],
    ['it was approved', [call(), permission, answer('approve')], 'running'],
    ['it runs', [call(), toolStart], 'running'],
    ['it gave a result', [call(), toolStart, result({ context: 'ok' })], 'done'],
    ['it failed', [call(), toolStart, result({ error: 'no' })], 'failed'],
    ['it was denied', [call(), permission, answer('reject'), result({ status: 'denied', reason: 'no' })], 'denied'],
    ['it had started when its run ended', [call(), toolStart, end('interrupted')], 'unknown'],
    ['it was never allowed before its run ended', [call(), permission, end('aborted')], 'skipped'],
    ['its run ended and does not tell what starts', [call(), end('error')], 'unknown'],
  ];
  it.each(rows)('when %s', (_, events, status) => {
    expect(brief(runOf(start, step(0), ...events).items)).toEqual([`tool c ${status}`]);
  });

  it('did not run when its run tells what starts and did not start it', () => {
    const run = runOf(start, step(0), call(), call('d'), toolStart, result({ context: 1 }), end('aborted'));
    expect(brief(run.items)).toEqual(['tool c done', 'tool d skipped']);
  });

  it('has its input as written, then as called, and its progress', () => {
    expect(runOf(delta).items).toMatchObject([{ inputText: '{"command"' }]);
    const report: AgentEvent = { type: 'tool_progress', runId, id: 'p', toolCallId: 'c', name: 'shell', content: 'x' };
    expect(runOf(delta, call(), toolStart, report, report).items).toMatchObject([
      { call: { input: { command: 'ls' } }, progress: ['x', 'x'] },
    ]);
  });

  it('holds the runs it started, and they are not at the top', () => {
    const events = [start, call(), toolStart, child(start), child({ ...permission, id: 'k' })];
    const { entries, pending } = view(...events);
    expect(entries).toHaveLength(1);
    expect(runOf(...events).items).toMatchObject([{ kind: 'tool', runs: [{ runId: 'kid', status: 'running' }] }]);
    expect(pending.map(relay => relay.id)).toEqual(['k']);
  });
});

describe('a step that is tried again', () => {
  const first = [user, start, step(0), text('done'), step(1)];
  const reasoning: AgentEvent = { type: 'reasoning', runId, id: 'think', content: 'hm' };
  const delta: AgentEvent = { type: 'tool_input_delta', runId, id: 'd', name: 'shell', delta: '{' };

  it('loses what its earlier attempt wrote, and nothing else', () => {
    const warning: AgentEvent = { type: 'warning', runId, message: 'connection lost' };
    const run = runOf(...first, reasoning, text('half'), call(), delta, warning, step(1), text('whole'));
    expect(brief(run.items)).toEqual(['text done', 'notice', 'text whole']);
  });

  it('keeps a call that was started: it may have done something', () => {
    const run = runOf(...first, text('half'), call(), toolStart, step(1), text('whole'));
    expect(brief(run.items)).toEqual(['text done', 'tool c running', 'text whole']);
  });

  it('does not touch the same step of another run', () => {
    const run = runOf(start, step(0), text('mine'), other(start), other(step(0)), other(text('theirs')));
    expect(brief(run.items)).toEqual(['text mine']);
  });
});

describe('a relay', () => {
  const question: AgentEvent = { type: 'relay', runId, id: 'q', relayKind: 'question', question: 'Which?' };

  it('is pending until it is answered', () => {
    expect(view(start, question).pending.map(relay => relay.id)).toEqual(['q']);
    expect(view(start, question, answer('approve')).pending).toEqual([]);
  });

  it('belongs to its tool call when it is a permission, and stands alone when it is a question', () => {
    expect(runOf(start, call(), permission).items).toMatchObject([
      { kind: 'tool', relay: { id: 'q', status: 'pending' } },
    ]);
    expect(brief(runOf(start, call(), { ...question, toolCallId: 'c' }).items)).toEqual([
      'tool c running',
      'relay q pending',
    ]);
  });

  it('has the first answer only', () => {
    expect(runOf(start, question, answer('reject'), answer('approve')).items).toMatchObject([
      { status: 'answered', resolved: { outcome: 'reject' } },
    ]);
  });

  it('is closed when its run ended without an answer', () => {
    expect(brief(runOf(start, question, end('aborted')).items)).toEqual(['relay q closed']);
  });
});

describe('the fold', () => {
  it('takes every event once, leaves older states as they were, and gives the same view again', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        const stream = logged(events);
        const states = [threadView.initial];
        for (const event of stream) states.push(threadView.step(states.at(-1) as typeof threadView.initial, event));
        const views = states.map(state => JSON.stringify(threadView.view(state)));
        const last = states.at(-1) as typeof threadView.initial;
        for (const event of stream) expect(threadView.step(last, event)).toBe(last);
        expect(states.map(state => JSON.stringify(threadView.view(state)))).toEqual(views);
        expect(JSON.stringify(threadView.view(fold(stream)))).toBe(views.at(-1));
      }),
      { numRuns: 200 },
    );
  });

  it('leaves an event of a type it does not know alone', () => {
    const state = threadView.step(threadView.initial, {
      type: 'later',
      runId,
      seq: 1,
      ts: '',
    } as unknown as LoggedEvent);
    expect(state).toEqual({ ...threadView.initial, seq: 1 });
  });

  it('gives the same objects for what did not change', () => {
    const before = fold(logged([start, step(0), call(), toolStart, text('a', 'x')]));
    const after = threadView.step(before, { ...text('b', 'x'), seq: 6, ts: '' });
    const itemsOf = (state: typeof before) => threadView.view(state).running[0]?.items ?? [];
    expect(itemsOf(after)[0]).toBe(itemsOf(before)[0]);
    expect(itemsOf(after)[1]).not.toBe(itemsOf(before)[1]);
  });
});
