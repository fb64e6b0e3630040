import { describe, expect, it } from 'vitest';
import { CodexSession } from './codex-session.ts';

const open = (mode?: string) => {
  const session = new CodexSession().handshake().begin('run', mode);
  session.sent();
  return session;
};

const spawn = (session: CodexSession, id = 'child') => {
  const item = {
    type: 'subAgentActivity',
    id: `spawn-${id}`,
    kind: 'started',
    agentThreadId: id,
    agentPath: `/root/${id}`,
  };
  session.item('started', item);
  session.item('completed', item);
  session.started(id, id);
};

describe('a plan of Codex', () => {
  const propose = (session: CodexSession, runId = 'run') => {
    session.item('completed', { type: 'plan', id: `plan-of-${runId}`, text: '# Do it\n\n1. this' });
    session.completed(runId);
  };

  it('is decided after its turn, in the same run', () => {
    const session = open('plan');
    propose(session);
    expect(session.host.requests).toEqual([
      { kind: 'plan', id: 'plan-1', runId: 'run', plan: '# Do it\n\n1. this', title: 'Do it' },
    ]);
    expect(session.host.ends).toEqual([]);
    session.channel.answer('plan-1', { outcome: 'approve' });
    expect(session.sent()).toMatchObject([
      {
        method: 'turn/start',
        params: { input: [{ text: 'Implement the plan.' }], collaborationMode: { mode: 'default' } },
      },
    ]);
    session.receive({ method: 'turn/started', params: { threadId: 'main', turn: { id: 'second' } } });
    session.receive({
      method: 'turn/completed',
      params: { threadId: 'main', turn: { id: 'second', status: 'completed' } },
    });
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
    expect(session.host.events.filter(({ type }) => type === 'step_start')).toMatchObject([{ step: 0 }, { step: 1 }]);
  });

  it('is made again in plan mode with the words of a rejection', () => {
    const session = open('plan');
    propose(session);
    session.channel.answer('plan-1', { outcome: 'reject', feedback: 'smaller steps' });
    expect(session.sent()).toMatchObject([
      { method: 'turn/start', params: { input: [{ text: 'smaller steps' }], collaborationMode: { mode: 'plan' } } },
    ]);
    expect(session.host.ends).toEqual([]);
  });

  it.each([
    [{ outcome: 'reject' as const }, 'complete'],
    [{ outcome: 'cancelled' as const }, 'aborted'],
  ])('ends the turn when it is not to be carried out: %j', (answer, reason) => {
    const session = open('plan');
    propose(session);
    session.channel.answer('plan-1', answer);
    expect(session.host.ends).toEqual([{ reason }]);
    expect(session.sent()).toEqual([]);
  });

  it('is withdrawn by an interrupt', () => {
    const session = open('plan');
    propose(session);
    session.channel.interrupt();
    expect(session.host.withdrawn).toMatchObject([{ id: 'plan-1' }]);
    expect(session.host.ends).toEqual([{ reason: 'aborted' }]);
  });

  it('leaves plan mode in the next turn', () => {
    const session = open('plan');
    session.completed();
    session.channel.prompt({ runId: 'next', content: 'go' });
    expect(session.sent()).toMatchObject([{ params: { collaborationMode: { mode: 'default' } } }]);
  });
});

describe('a message during a turn of Codex', () => {
  it('has joined when the model receives it', () => {
    const session = open();
    session.channel.steer({ id: 'm1', content: 'and that' });
    expect(session.sent()).toMatchObject([{ method: 'turn/steer', params: { clientUserMessageId: 'm1' } }]);
    expect(session.host.steerings).toEqual([]);
    session.item('started', { type: 'userMessage', id: 'u', clientId: 'm1', content: [{ type: 'text', text: 'x' }] });
    expect(session.host.steerings).toEqual([{ id: 'm1', delivery: 'joined' }]);
    session.completed();
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('is returned when the turn ends before it was received', () => {
    const session = open();
    session.channel.steer({ id: 'm1', content: 'and that' });
    session.receive({ id: 4, error: { code: -32600, message: 'no active turn to steer' } });
    session.completed();
    expect(session.host.ends).toEqual([{ reason: 'complete', unsent: ['m1'] }]);
  });

  it('waits until the program has started the turn', () => {
    const session = new CodexSession().handshake();
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.channel.steer({ id: 'm1', content: 'and that' });
    session.started();
    expect(session.sent().at(-1)).toMatchObject({ method: 'turn/steer', params: { expectedTurnId: 'turn-of-run' } });
  });
});

describe('an interrupt of Codex', () => {
  it('waits for the id of the turn', () => {
    const session = new CodexSession().handshake();
    session.channel.prompt({ runId: 'run', content: 'go' });
    session.channel.interrupt();
    session.started();
    expect(session.sent().at(-1)).toMatchObject({ method: 'turn/interrupt', params: { turnId: 'turn-of-run' } });
    session.completed('run', { status: 'interrupted' });
    expect(session.host.ends).toEqual([{ reason: 'aborted' }]);
  });

  it('stops the subagents, too', () => {
    const session = open();
    spawn(session);
    session.channel.interrupt();
    expect(session.sent().map(({ params }) => params)).toEqual([
      { threadId: 'main', turnId: 'turn-of-run' },
      { threadId: 'child', turnId: 'turn-of-child' },
    ]);
  });

  it('refuses requests that arrive after it', () => {
    const session = open();
    session.channel.interrupt();
    session.sent();
    session.askCommand(0, 'c1', 'make');
    expect(session.sent()).toMatchObject([{ id: 0, error: {} }]);
    expect(session.host.requests).toEqual([]);
  });
});

describe('a turn of Codex', () => {
  it('ends by its own record only', () => {
    const session = open();
    session.completed();
    session.begin('next');
    session.completed();
    expect(session.host.ends).toHaveLength(1);
    session.completed('next');
    expect(session.host.ends).toHaveLength(2);
  });

  it('ends when its subagents have ended', () => {
    const session = open();
    spawn(session);
    session.completed();
    expect(session.host.ends).toEqual([]);
    session.completed('child', { threadId: 'child' });
    expect(session.host.ends).toEqual([{ reason: 'complete' }]);
  });

  it('reports a call that nobody asks about as started after a moment, or with its output', () => {
    const session = open();
    session.command('c1', 'ls');
    session.command('c2', 'cat x');
    const started = () => session.host.events.flatMap(event => (event.type === 'tool_start' ? [event.id] : []));
    session.receive({
      method: 'item/commandExecution/outputDelta',
      params: { threadId: 'main', itemId: 'c2', delta: 'x' },
    });
    expect(started()).toEqual(['run/c2']);
    session.host.runTimers();
    expect(started()).toEqual(['run/c2', 'run/c1']);
  });

  it('does not report a call that is being asked about as started', () => {
    const session = open();
    session.command('c1', 'make');
    session.askCommand(0, 'c1', 'make');
    session.host.runTimers();
    expect(session.host.events.some(({ type }) => type === 'tool_start')).toBe(false);
  });

  it('reports a retried error as a warning and a final one as a failure', () => {
    const session = open();
    session.receive({ method: 'error', params: { threadId: 'main', willRetry: true, error: { message: 'busy' } } });
    session.receive({ method: 'error', params: { threadId: 'main', willRetry: false, error: { message: 'bad' } } });
    session.completed('run', { status: 'failed', error: { message: 'bad' } });
    expect(session.host.events.slice(2)).toMatchObject([
      { type: 'warning', code: 'retry', message: 'busy' },
      { type: 'error', message: 'bad' },
      { type: 'error', message: 'bad', fatal: true },
    ]);
    expect(session.host.ends).toEqual([{ reason: 'error' }]);
  });
});

describe('a subagent of Codex', () => {
  it('asks in its own run, and the reason of a rejection reaches it', () => {
    const session = open();
    spawn(session);
    session.askCommand(0, 'c1', 'rm x', 'child');
    const [request] = session.host.requests;
    expect(request).toMatchObject({ runId: 'run/child/run', toolCallId: 'run/child/run/c1' });
    session.channel.answer(request?.id ?? '', { outcome: 'reject', feedback: 'keep x' });
    expect(session.sent()).toMatchObject([
      { method: 'turn/steer', params: { threadId: 'child', expectedTurnId: 'turn-of-child' } },
    ]);
  });

  it('belongs to the spawn that has no result when nobody announced it', () => {
    const session = open();
    session.item('started', { type: 'collabAgentToolCall', id: 's', tool: 'spawnAgent', status: 'inProgress' });
    session.started('early', 'early');
    expect(session.host.events.find(({ type }) => type === 'harness_start')).toMatchObject({ parentId: 'run/s' });
  });

  it('runs again under a new run when its thread has another turn', () => {
    const session = open();
    spawn(session);
    session.completed('child', { threadId: 'child' });
    session.started('again', 'child');
    session.completed('again', { threadId: 'child', status: 'interrupted' });
    const runs = session.host.events.filter(({ type }) => type === 'harness_end');
    expect(runs).toMatchObject([
      { runId: 'run/child/run', reason: 'complete' },
      { runId: 'run/child#2/run', reason: 'aborted' },
    ]);
  });

  it('of an earlier turn runs again for the call that continues it', () => {
    const session = open();
    spawn(session);
    session.completed('child', { threadId: 'child' });
    session.completed();
    session.begin('run2');
    const item = {
      type: 'subAgentActivity',
      id: 'say',
      kind: 'interacted',
      agentThreadId: 'child',
      agentPath: '/child',
    };
    session.item('started', item);
    session.started('again', 'child');
    expect(session.host.events.findLast(({ type }) => type === 'harness_start')).toMatchObject({
      runId: 'run2/child/run',
      parentId: 'run2/say',
    });
  });

  it('has another run in each turn of a run', () => {
    const session = open();
    spawn(session);
    session.completed('child', { threadId: 'child' });
    session.completed();
    session.channel.prompt({ runId: 'run', content: 'more' });
    session.receive({ method: 'turn/started', params: { threadId: 'main', turn: { id: 'second' } } });
    spawn(session, 'child');
    const runs = session.host.events.flatMap(event => (event.type === 'harness_start' ? [event.runId] : []));
    expect(runs).toEqual(['run/child/run', 'run/child.1/run']);
  });

  it('withdraws its requests when it ends', () => {
    const session = open();
    spawn(session);
    session.askCommand(0, 'c1', 'rm x', 'child');
    session.completed('child', { threadId: 'child', status: 'interrupted' });
    expect(session.host.withdrawn).toMatchObject([{ id: 'request-1' }]);
  });
});
