import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { activeUpTo, defaultActive, fullHistory, selectSibling } from './active.ts';
import {
  getChange,
  getBlocks,
  getBufferedSummaries,
  getChunks,
  getMessage,
  getMessages,
  getSiblings,
  getSpawned,
  getSummaries,
  hyperedges,
  isCollapsed,
  getMark,
  getChunkText,
  touchedSince,
} from './queries.ts';
import { type Conversation, createConversation, reduceConversation } from './conversation.ts';
import { collapseNode, editMessage, getRetryTarget, selectMessage, summariseSpan } from './operations.ts';
import { createGraph, type Graph, reduceEvent } from '../graph.ts';

const reduce = (events: readonly AgentEvent[], from = createConversation()) => events.reduce(reduceConversation, from);
const user = (runId: string, content = 'Hello', rest: object = {}): AgentEvent => ({
  type: 'user',
  runId,
  content,
  ...rest,
});
const start = (runId: string, parentId?: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  agentId: 'coder',
  ...(parentId !== undefined && { parentId }),
});
const end = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'coder' });
const text = (runId: string, content: string, id = `${runId}/t`): AgentEvent => ({ type: 'text', runId, id, content });
const call = (runId: string, id: string): AgentEvent => ({ type: 'tool_call', runId, id, name: 'shell', input: {} });
const result = (runId: string, id: string): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'shell',
  output: { context: 'ok' },
});
const turn = (n: number): AgentEvent[] => [
  user(`u${n}`),
  start(`r${n}`, `u${n}:user`),
  text(`r${n}`, `${n}`),
  end(`r${n}`),
];
const branch = (conversation: Conversation) => defaultActive(conversation).messages;

describe('the tiers', () => {
  const conversation = reduce([
    user('u'),
    start('r', 'u:user'),
    { type: 'step_start', runId: 'r', step: 0 },
    text('r', 'Let me '),
    text('r', 'look.'),
    call('r', 'r/c'),
    result('r', 'r/c'),
    text('r', 'Done.'),
    end('r'),
  ]);

  it('put chunks into blocks, blocks into messages, and messages after one another', () => {
    expect([...hyperedges(conversation)]).toEqual([
      { kind: 'block_to_message', from: 'u:user:block:1', to: 'u:user' },
      { kind: 'chunk_to_block', from: 'u:user', to: 'u:user:block:1' },
      { kind: 'parent_message', from: 'r', to: 'u:user' },
      { kind: 'block_to_message', from: 'r:block:1', to: 'r' },
      { kind: 'chunk_to_block', from: 'r/t', to: 'r:block:1' },
      { kind: 'chunk_to_block', from: 'r/c', to: 'r:block:1' },
      { kind: 'chunk_to_block', from: 'r/c:result', to: 'r:block:1' },
      { kind: 'block_to_message', from: 'r:block:2', to: 'r' },
      { kind: 'chunk_to_block', from: 'r/t#2', to: 'r:block:2' },
    ]);
  });

  it('join the fragments of a stream within a block', () => {
    expect([getChunkText(conversation, 'r/t'), getChunkText(conversation, 'r/t#2')]).toEqual(['Let me look.', 'Done.']);
  });

  it('keep a message to a running agent inside its run', () => {
    const steered = reduce([user('r', 'Stop.')], reduce([user('u'), start('r', 'u:user'), text('r', 'Hm')]));
    expect(branch(steered)).toEqual(['u:user', 'r']);
    expect(getBlocks(steered, 'r').map(({ role }) => role)).toEqual(['assistant', 'user']);
  });

  it('put a subagent under the call that started it, also when the call arrives later', () => {
    const early = reduce([user('u'), start('r', 'u:user'), call('r', 'c'), start('s', 'c'), text('s', 'x')]);
    const late = reduce([user('u'), start('s', 'c'), text('s', 'x'), start('r', 'u:user'), call('r', 'c')]);
    for (const conversation of [early, late]) {
      expect(getSpawned(conversation, 'c').map(({ id }) => id)).toEqual(['s']);
      expect(branch(conversation)).toEqual(['u:user', 'r']);
    }
  });

  it('attribute text with another run id to the run that it was written in', () => {
    const conversation = reduce([
      user('u'),
      start('r', 'u:user'),
      text('model-1', 'One'),
      call('r', 'c'),
      result('r', 'c'),
      { ...text('model-2', 'Two'), parentId: 'r' },
    ]);
    const chunks = getBlocks(conversation, 'r').flatMap(({ id }) => getChunks(conversation, id));
    expect(chunks.map(({ id }) => id)).toEqual(['model-1/t', 'c', 'c:result', 'model-2/t']);
  });
});

describe('branches', () => {
  const talk = reduce([...turn(1), ...turn(2), ...turn(3)]);

  it('are the newest of each set of siblings', () => {
    expect(branch(talk)).toEqual(['u1:user', 'r1', 'u2:user', 'r2', 'u3:user', 'r3']);
  });

  it('begin with an edit, which is a sibling of what was said', () => {
    const edited = reduce([editMessage(talk, 'u2:user', { runId: 'u2b', content: 'Else' })], talk);
    expect(branch(edited)).toEqual(['u1:user', 'r1', 'u2b:user']);
    expect(getSiblings(edited, getMessage(edited, 'u2b:user') ?? never())).toEqual(['u2:user', 'u2b:user']);
    const first = reduce([editMessage(talk, 'u1:user', { runId: 'u1b', content: 'Else' })], talk);
    expect(branch(first)).toEqual(['u1b:user']);
  });

  it('begin with a retry, which is a second run under the same message', () => {
    expect(getRetryTarget(talk, 'r2')).toBe('u2:user');
    const retried = reduce([start('r2b', getRetryTarget(talk, 'r2')), text('r2b', 'Again')], talk);
    expect(branch(retried)).toEqual(['u1:user', 'r1', 'u2:user', 'r2b']);
  });

  it('are selected, and the next message continues there', () => {
    const edited = reduce([editMessage(talk, 'u2:user', { runId: 'u2b', content: 'Else' })], talk);
    expect(selectSibling(edited, 'u2:user').messages).toEqual(branch(talk));
    const selected = reduce([selectMessage(edited, 'u2:user', { runId: 'control' })], edited);
    expect(branch(selected)).toEqual(branch(talk));
    expect(branch(reduce(turn(4), selected))).toEqual([...branch(talk), 'u4:user', 'r4']);
    expect(branch(reduce([selectMessage(selected, 'u2b:user', { runId: 'control' })], selected))).toEqual([
      'u1:user',
      'r1',
      'u2b:user',
    ]);
  });

  it('can end at any message, and together are the full history', () => {
    const edited = reduce([editMessage(talk, 'u2:user', { runId: 'u2b', content: 'Else' })], talk);
    expect(activeUpTo(edited, 'u2:user').messages).toEqual(['u1:user', 'r1', 'u2:user']);
    expect(fullHistory(edited).messages).toEqual([...branch(talk), 'u2b:user']);
    expect(() => activeUpTo(edited, 'nowhere')).toThrow('Unknown message "nowhere"');
  });

  it('are not started by two people who write before the first answer', () => {
    const both = reduce([user('u1'), user('u2'), start('r1', 'u1:user'), start('r2', 'u2:user')]);
    expect(branch(both)).toEqual(['u1:user', 'u2:user', 'r1', 'r2']);
    expect(branch(reduce([start('r1b', 'u1:user')], both))).toEqual(['u1:user', 'u2:user', 'r1b']);
  });
});

describe('a buffered summary', () => {
  it('has no effect until another one activates it', () => {
    const covers = { from: 'u1:user', to: 'r1' };
    const made = { type: 'summary' as const, runId: 'observer', covers, text: 'Short', kind: 'observation' as const };
    const waiting = reduce([...turn(1), ...turn(2), { ...made, id: 'b', active: false }]);
    expect(getSummaries(waiting)).toEqual([]);
    expect(getBufferedSummaries(waiting)).toMatchObject([{ id: 'b', text: 'Short' }]);
    const active = reduce([{ ...made, id: 'a', activates: ['b'] }], waiting);
    expect(getSummaries(active)).toMatchObject([{ id: 'a' }]);
    expect(getBufferedSummaries(active)).toEqual([]);
    expect(getBufferedSummaries(waiting)).toHaveLength(1);
  });
});

describe('operations of people', () => {
  it('are rejected with a reason when they make no sense', () => {
    const talk = reduce([...turn(1), call('r1', 'c'), start('s', 'c')]);
    expect(() => editMessage(talk, 'r1', { runId: 'x', content: '' })).toThrow('not said by a person');
    expect(() => getRetryTarget(reduce([start('r')]), 'r')).toThrow('no answer to a person');
    expect(() => selectMessage(talk, 's', { runId: 'x' })).toThrow('inside of another message');
    expect(() => summariseSpan(talk, { from: 'u1:user', to: '?' }, { runId: 'x', id: 's', text: '' })).toThrow('"?"');
  });

  it('are events, so that a replay has them too', () => {
    const talk = reduce([...turn(1), collapseNode('r1', { runId: 'control', collapsed: true })]);
    expect(isCollapsed(talk, 'r1')).toBe(true);
    expect(isCollapsed(reduce([collapseNode('r1', { runId: 'control', collapsed: false })], talk), 'r1')).toBe(false);
  });

  it('ignore an event that was seen, by seq', () => {
    const talk = reduce([{ ...user('u'), seq: 1 }]);
    expect(reduceConversation(talk, { ...user('u'), seq: 1 })).toBe(talk);
    expect(getMessages(talk)).toHaveLength(1);
  });

  it('need a conversation of this module', () => {
    expect(() => reduceConversation({ seq: 1 }, user('u'))).toThrow('made by createConversation');
  });

  it('numbers the changes of a chunk alike for the same events, and differently on each branch', () => {
    const said = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 't', content });
    const first = reduce([user('u'), start('r', 'u:user'), said('a')]);
    const same = reduce([user('u'), start('r', 'u:user'), said('a')]);
    const branches = [reduce([said('b')], first), reduce([said('c')], first), reduce([said('b')], same)];
    const [b, c, again] = branches.map(branch => getChange(branch, 'chunk', 't'));
    expect(b).toBe(again);
    expect(new Set([getChange(first, 'chunk', 't'), b, c]).size).toBe(3);
  });

  it('refuses a graph in place of a conversation, and the other way round', () => {
    const graph = createGraph();
    expect(() => reduceConversation(graph, user('u'))).toThrow('Expected a conversation');
    expect(() => reduceEvent(createConversation() as Graph, user('u'))).toThrow('Expected a graph');
  });
});

function never(): never {
  throw new Error('The message is not there.');
}

describe('many alternatives of one message', () => {
  it('cost each further one the same, however many there are', () => {
    const touchedBy = (retries: number) => {
      const events = Array.from({ length: retries }, (_, index) => start(`r${index}`, 'u:user'));
      const before = reduce([user('u'), ...events]);
      const after = reduce([start('next', 'u:user')], before);
      return touchedSince(after, getMark(before))?.length;
    };
    expect(touchedBy(1_000)).toBe(touchedBy(2));
  });
});
