import { afterEach, describe, expect, it, vi } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { type Conversation, createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { defaultActive, fullHistory, selectSibling } from '../../graph/conversation/active.ts';
import { Snapshot } from '../../graph/versioned/store.ts';
import { projectRepl } from '../project-repl.ts';
import { projectThread, type ThreadOptions, threadFold } from './project-thread.ts';
import { threadReading } from './thread-reading.ts';

const reduce = (events: readonly AgentEvent[]) => events.reduce(reduceConversation, createConversation());
const threadOf = (events: readonly AgentEvent[], options: ThreadOptions = {}) => {
  const conversation = reduce(events);
  return projectThread(conversation, defaultActive(conversation), options);
};
const user = (runId: string, content = 'Go.'): AgentEvent => ({ type: 'user', runId, content });
const start = (runId: string, parentId: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  parentId,
  agentId: 'coder',
});
const end = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'coder', reason: 'complete' });
const text = (runId: string, content: string): AgentEvent => ({ type: 'text', runId, id: `${runId}/t`, content });
const call = (runId: string, id: string): AgentEvent => ({
  type: 'tool_call',
  runId,
  id,
  name: 'shell',
  input: { a: 1 },
});
const result = (runId: string, id: string, output: object = { context: 'ok' }): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'shell',
  output,
});
const ask = (runId: string, id: string, toolCallId: string): AgentEvent => ({
  type: 'relay',
  runId,
  id,
  relayKind: 'permission',
  toolCallId,
  tool: 'shell',
  params: {},
});
const begin = [user('u'), start('r', 'u:user')];

describe('the thread', () => {
  it.each([
    ['a branch', (conversation: Conversation) => selectSibling(conversation, 'r')],
    ['everything', fullHistory],
  ])('shows a new alternative beside those that %s showed before', (_, activeIn) => {
    const counts = (conversation: Conversation) =>
      projectThread(conversation, activeIn(conversation)).map(({ id, siblings }) => [
        id,
        siblings.index,
        siblings.count,
      ]);
    const before = reduce([...begin, end('r'), user('u2'), start('r2', 'u2:user'), end('r2')]);
    expect(counts(before)[1]).toEqual(['r', 0, 1]);
    const retried = [start('again', 'u:user'), end('again')].reduce(reduceConversation, before);
    expect(counts(retried)[1]).toEqual(['r', 0, 2]);
    const edited = reduceConversation(retried, { type: 'user', runId: 'v', content: 'No.', parentMessageId: '' });
    expect(counts(edited)[0]).toEqual(['u:user', 0, 2]);
  });

  it('joins the texts of a message with a blank line', () => {
    const second: AgentEvent = { type: 'text', runId: 'r', id: 'r/u', content: 'Done.' };
    const nodes = threadOf([...begin, text('r', 'Let me look.'), call('r', 'c'), result('r', 'c'), second, end('r')]);
    expect(nodes.map(node => node.text)).toEqual(['Go.', 'Let me look.\n\nDone.']);
  });

  it('has a node for each message, with its text and calls', () => {
    expect(
      threadOf([...begin, text('r', 'Let me '), text('r', 'look.'), call('r', 'c'), result('r', 'c'), end('r')]),
    ).toMatchObject([
      { id: 'u:user', role: 'user', text: 'Go.', toolCalls: [] },
      {
        id: 'r',
        role: 'assistant',
        agentId: 'coder',
        status: 'complete',
        text: 'Let me look.',
        toolCalls: [{ id: 'c', name: 'shell', input: { a: 1 }, status: 'done', output: { context: 'ok' } }],
      },
    ]);
  });

  it('shows things in the order in which they happened, whatever run ids they carry', () => {
    const [, node] = threadOf([
      ...begin,
      text('model-1', 'One'),
      call('r', 'c'),
      result('r', 'c'),
      text('model-2', 'Two'),
      user('r', 'And?'),
      text('model-2', 'Three'),
    ]);
    expect(node?.parts.map(part => ('text' in part ? part.text : part.kind))).toEqual([
      'One',
      'tool',
      'Two',
      'user',
      'Three',
    ]);
  });

  it('shows of a call whether it waits, runs, was denied, failed or never ran', () => {
    const events = [
      ...begin,
      call('r', 'done'),
      result('r', 'done'),
      call('r', 'denied'),
      result('r', 'denied', { status: 'denied', reason: 'no' }),
      call('r', 'failed'),
      result('r', 'failed', { error: 'broke' }),
      call('r', 'asked'),
      ask('r', 'q', 'asked'),
      call('r', 'started'),
      { type: 'tool_start', runId: 'r', id: 'started', name: 'shell' } as const,
      { type: 'tool_progress', runId: 'r', id: 'p', toolCallId: 'started', name: 'shell', content: 'half' } as const,
    ];
    const statuses = (more: AgentEvent[]) =>
      threadOf([...events, ...more])[1]?.toolCalls.map(({ id, status }) => `${id} ${status}`);
    expect(statuses([])).toEqual(['done done', 'denied denied', 'failed failed', 'asked waiting', 'started running']);
    expect(statuses([end('r')])?.slice(3)).toEqual(['asked skipped', 'started unknown']);
    expect(threadOf(events)[1]?.toolCalls[4]?.progress).toEqual(['half']);
  });

  it('shows relays with their answers, at their call or alone', () => {
    const question: AgentEvent = { type: 'relay', runId: 'r', id: 'q2', relayKind: 'question', question: 'Which?' };
    const answer: AgentEvent = { type: 'relay_resolved', runId: 'r', relayId: 'q', outcome: 'approve' };
    const [, node] = threadOf([...begin, call('r', 'c'), ask('r', 'q', 'c'), answer, question]);
    expect(node?.toolCalls[0]?.relays).toMatchObject([{ id: 'q', status: 'answered', answer: { outcome: 'approve' } }]);
    expect(node?.parts[1]).toMatchObject({ kind: 'relay', id: 'q2', status: 'pending' });
  });

  it('nests subagents under the call that started them', () => {
    const [, node] = threadOf([
      ...begin,
      call('r', 'c'),
      start('s', 'c'),
      text('s', 'Inside'),
      call('s', 'd'),
      start('t', 'd'),
      text('t', 'Deep'),
      result('r', 'c'),
    ]);
    expect(node?.toolCalls[0]?.runs).toMatchObject([
      { id: 's', text: 'Inside', toolCalls: [{ runs: [{ text: 'Deep' }] }] },
    ]);
    expect(threadOf([...begin, call('r', 'c'), start('s', 'c')])).toHaveLength(2);
  });

  it('nests observers in the run that they serve, marked: they answer nobody', () => {
    const events: AgentEvent[] = [
      user('u'),
      start('a', 'u:user'),
      text('a', 'Hello.'),
      {
        type: 'harness_start',
        runId: 'o',
        parentId: 'a',
        agentId: 'observer',
        memory: { operation: 'observation', background: true, tokens: 100 },
      },
      end('a'),
      text('o', '<observations>…</observations>'),
    ];
    const nodes = threadOf(events);
    expect(nodes.map(({ id, text: said }) => [id, said])).toEqual([
      ['u:user', 'Go.'],
      ['a', 'Hello.'],
    ]);
    expect(nodes[1]?.parts).toMatchObject([
      { kind: 'text' },
      { kind: 'run', runs: [{ agentId: 'observer', memory: 'observation', status: 'running' }] },
    ]);
    expect(nodes.map(({ memory, siblings }) => [memory, siblings.count])).toEqual([
      [undefined, 1],
      [undefined, 1],
    ]);
    const reading = events.reduce(threadReading.step, threadReading.initial);
    expect(threadReading.view(reading).running).toEqual([]);
    expect(threadOf([...events, user('u2', 'Next.')]).map(({ id }) => id)).toEqual(['u:user', 'a', 'u2:user']);
  });

  it('counts siblings', () => {
    const again: AgentEvent = { type: 'user', runId: 'v', content: 'Else', parentMessageId: '' };
    expect(threadOf([...begin, again])[0]).toMatchObject({
      text: 'Else',
      siblings: { index: 1, count: 2, ids: ['u:user', 'v:user'] },
    });
  });

  it('leaves out a superseded attempt', () => {
    const step: AgentEvent = { type: 'step_start', runId: 'r', step: 0 };
    const [, node] = threadOf([...begin, step, text('r', 'Half'), call('r', 'c'), step, text('r', 'Whole')]);
    expect(node?.parts).toEqual([{ kind: 'text', id: 'r/t#2', text: 'Whole' }]);
  });

  it('hides reasoning and folds tools when asked', () => {
    const events: AgentEvent[] = [
      ...begin,
      { type: 'reasoning', runId: 'r', id: 'x', content: 'Hm' },
      call('r', 'c'),
      result('r', 'c'),
    ];
    const [, node] = threadOf(events, { hideReasoning: true, collapseTools: true });
    expect(node?.parts).toMatchObject([{ kind: 'tool', id: 'c', status: 'done', collapsed: true }]);
    expect(node?.toolCalls[0]).not.toHaveProperty('output');
    const unfold: AgentEvent = { type: 'collapsed', runId: 'x', nodeId: 'c', collapsed: false };
    expect(threadOf([...events, unfold], { collapseTools: true })[1]?.toolCalls[0]).toHaveProperty('output');
  });

  it('shows a summary in the place of its source, the source when it is unfolded, and all in the full history', () => {
    const talk = [...begin, text('r', 'Long'), end('r'), user('u2', 'More.')];
    const summary: AgentEvent = {
      type: 'summary',
      runId: 'x',
      id: 's',
      covers: { from: 'u:user', to: 'r' },
      text: 'Short',
      kind: 'compaction',
    };
    const nodes = (events: AgentEvent[]) => threadOf(events).map(({ id, text }) => `${id} ${text}`);
    expect(nodes([...talk, summary])).toEqual(['s Short', 'u2:user More.']);
    const unfold: AgentEvent = { type: 'collapsed', runId: 'x', nodeId: 's', collapsed: false };
    expect(nodes([...talk, summary, unfold])).toEqual(['u:user Go.', 'r Long', 'u2:user More.']);
    const conversation = reduce([...talk, summary]);
    expect(projectThread(conversation, fullHistory(conversation))).toHaveLength(3);
  });

  it('keeps what did not change', () => {
    const { initial, step, view } = threadFold();
    const before = [...begin, call('r', 'c'), text('r', 'One')].reduce(step, initial);
    const after = step(before, text('r', ' two'));
    expect(view(after)[0]).toBe(view(before)[0]);
    expect(view(after)[1]).not.toBe(view(before)[1]);
    expect(view(after)[1]?.parts[0]).toBe(view(before)[1]?.parts[0]);
  });
});

describe('the executions', () => {
  it('are listed with what they printed and what the runs they started said', () => {
    const conversation = reduce([
      ...begin,
      { type: 'repl_input', runId: 'r', id: 'x', code: 'llm_query()', iteration: 0 },
      start('s', 'x'),
      text('s', 'Sub'),
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: 'a', stream: 'stdout' },
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: '!', stream: 'stderr' },
      { type: 'repl_output', runId: 'r', id: 'x', stdout: 'a', done: false, durationMs: 5 },
      { type: 'repl_input', runId: 'r', id: 'y', code: 'FINAL(1)', iteration: 1 },
    ]);
    expect(projectRepl(conversation, defaultActive(conversation))).toEqual([
      {
        id: 'x',
        runId: 'r',
        depth: 0,
        iteration: 0,
        code: 'llm_query()',
        stdout: 'a',
        stderr: '!',
        state: 'done',
        durationMs: 5,
        answers: ['Sub'],
      },
      {
        id: 'y',
        runId: 'r',
        depth: 0,
        iteration: 1,
        code: 'FINAL(1)',
        stdout: '',
        stderr: '',
        state: 'running',
        answers: [],
      },
    ]);
  });
});

describe('the siblings of a message', () => {
  afterEach(() => void vi.restoreAllMocks());

  const show = (conversation: Conversation, active = defaultActive(conversation)) =>
    projectThread(conversation, active).map(({ siblings: { index, count, ids } }) => ({ index, count, ids }));

  /** Counts the records that showing the conversation after further events looks at. */
  function countShown(retries: number, ...events: AgentEvent[]) {
    const answers = Array.from({ length: retries }, (_, index) => start(`r${index}`, 'u:user'));
    const before = reduce([user('u'), ...answers]);
    show(before);
    const after = events.reduce(reduceConversation, before);
    const active = defaultActive(after);
    const last = vi.spyOn(Snapshot.prototype, 'last');
    const from = vi.spyOn(Snapshot.prototype, 'from');
    expect(show(after, active).at(-1)).toMatchObject({
      count: retries + events.filter(is => is.type !== 'text').length,
    });
    const listed = from.mock.results.reduce((sum, { value }) => sum + (value as unknown[]).length, 0);
    const counted = last.mock.calls.length + listed;
    vi.restoreAllMocks();
    return counted;
  }

  it.each([
    ['another alternative', [start('next', 'u:user')]],
    ['a word of the newest', [text('r99', 'Hi.')]],
  ])('are shown after %s at the same cost, however many there are', (_, events) => {
    const ofMany = events.map(event => (event.runId === 'r99' ? text('r999', 'Hi.') : event));
    expect(countShown(1_000, ...ofMany)).toBe(countShown(100, ...events));
  });

  it('are those of the conversation that is shown, also of an earlier one and after runs moved under a call', () => {
    const events = [
      ...begin,
      start('again', 'u:user'),
      start('inner', 'c'),
      start('third', 'u:user'),
      call('r', 'c'),
      start('fourth', 'u:user'),
    ];
    const states = events.map((_, index) => reduce(events.slice(0, index + 1)));
    const line: Conversation[] = [createConversation()];
    for (const event of events) line.push(reduceConversation(line.at(-1) as Conversation, event));
    for (const index of [0, 2, 6, 4, 1, 5, 3, 6])
      expect(show(line[index + 1] as Conversation)).toEqual(show(states[index] as Conversation));
  });

  it('are found in everything by one list of places', () => {
    const answers = Array.from({ length: 1_000 }, (_, index) => start(`r${index}`, 'u:user'));
    const before = reduce([user('u'), ...answers]);
    projectThread(before, fullHistory(before));
    const after = reduceConversation(before, start('next', 'u:user'));
    const active = fullHistory(after);
    const searched = vi.spyOn(active.messages as string[], 'lastIndexOf');
    const nodes = projectThread(after, active);
    expect(searched).not.toHaveBeenCalled();
    expect(nodes.slice(1).map(({ siblings }) => siblings)).toEqual(
      nodes.slice(1).map((_, index) => ({ index, count: 1_001, ids: nodes.slice(1).map(({ id }) => id) })),
    );
  });
});
