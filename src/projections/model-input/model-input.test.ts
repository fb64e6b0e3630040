import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../../test/support/run-size.ts';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { eventStream } from '../../../test/support/random-events.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { activeUpTo, defaultActive } from '../../graph/conversation/active.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { getMessage, getMessages } from '../../graph/conversation/queries.ts';
import { ModelInput } from './model-input.ts';
import { projectMessages } from './project-messages.ts';

const turn = (n: number): AgentEvent[] => [
  { type: 'user', runId: `ask-${n}`, content: `question ${n}` },
  { type: 'harness_start', runId: `run-${n}`, agentId: 'a', parentId: `ask-${n}:user` },
  { type: 'tool_call', runId: `run-${n}`, id: `run-${n}/call`, name: 'look', input: {} },
  { type: 'tool_result', runId: `run-${n}`, id: `run-${n}/call`, name: 'look', output: { context: 'seen' } },
  { type: 'text', runId: `run-${n}`, id: `t-${n}`, content: `answer ${n}` },
  { type: 'harness_end', runId: `run-${n}`, agentId: 'a', reason: 'complete' },
];

/** Looks at one branch after another while a conversation grows: each is what it is from scratch. */
function setUp() {
  const kept = new ModelInput();
  let conversation = createConversation();
  return {
    sent: (messageId: string) => kept.upTo(conversation, messageId),
    happen: (...events: AgentEvent[]) => void (conversation = events.reduce(reduceConversation, conversation)),
    look: (messageId: string) => {
      const messages = kept.upTo(conversation, messageId);
      expect(messages).toEqual(projectMessages(conversation, activeUpTo(conversation, messageId)));
      return messages;
    },
  };
}

describe('what a model is sent of a branch, kept as the conversation grows', () => {
  it('is what it is from scratch, whichever branch is looked at whenever', () => {
    let apart = 0;
    const looks = fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(
        fc.oneof(conversationLog(160, 20), conversationLog(160, 80), eventStream()),
        looks,
        (events, chosen) => {
          const kept = new ModelInput();
          let conversation = createConversation();
          events.forEach((event, index) => {
            conversation = reduceConversation(conversation, event);
            const [pick, isAny] = chosen[index % chosen.length] as [number, boolean];
            if (pick % 3 !== 0) return;
            const places = isAny
              ? getMessages(conversation).flatMap(({ id, spawnedBy }) => (spawnedBy === undefined ? [id] : []))
              : defaultActive(conversation).messages.slice(-1);
            const id = places[pick % places.length];
            if (id === undefined) return;
            const active = activeUpTo(conversation, id);
            expect(kept.upTo(conversation, id)).toEqual(projectMessages(conversation, active));
            expect(kept.firstMessageId).toBe(active.messages[0]);
            if (kept.previousMessageId !== undefined && getMessage(conversation, id)?.role === 'user') {
              apart++;
              const before = { messages: active.messages.slice(0, -1), full: false };
              const earlier = projectMessages(conversation, before);
              expect(kept.previousMessageId).toBe(before.messages.at(-1));
              expect(earlier.at(-1)?.role).not.toBe('user');
              expect(kept.upTo(conversation, id).slice(0, earlier.length)).toEqual(earlier);
            }
            for (const { id: other } of getMessages(conversation)) {
              expect(kept.has(other)).toBe(active.messages.includes(other));
              const count = kept.endWith(other)?.length;
              if (count !== undefined)
                expect(count).toBe(projectMessages(conversation, activeUpTo(conversation, other)).length);
            }
          });
        },
      ),
      { numRuns: lawRuns(200) },
    );
    expect(apart).toBeGreaterThan(lawRuns(100));
  });

  it('has the same messages as before, where nothing changed', () => {
    const { happen, look } = setUp();
    happen(...[1, 2, 3].flatMap(turn));
    const before = look('ask-3:user');
    happen(...turn(4));
    const after = look('ask-4:user');
    expect(after.slice(0, before.length).every((message, at) => message === before[at])).toBe(true);
    expect(after).toHaveLength(before.length + 4);
    expect(before.at(-1)).toEqual({ role: 'user', content: 'question 3' });
  });

  it('has a summary for what it covers, on the branches that have all of it', () => {
    const { happen, look } = setUp();
    const covers = { from: 'ask-1:user', to: 'run-3' };
    happen(...[1, 2, 3, 4].flatMap(turn));
    look('ask-4:user');
    happen({ type: 'summary', runId: 'run-4', id: 's', covers, text: 'All of it.', kind: 'compaction' });
    expect(look('ask-4:user')).toHaveLength(1);
    expect(look('ask-2:user')).toHaveLength(5);
    expect(look('run-3')).toHaveLength(1);
    expect(look('run-4')).toHaveLength(4);
    happen(...turn(5));
    expect(look('ask-5:user')).toHaveLength(5);
    expect(look('run-2')).toHaveLength(8);
  });

  it('leaves out a run that turns out to be inside of another one', () => {
    const { happen, look } = setUp();
    happen(...turn(1));
    happen({ type: 'harness_start', runId: 'inner', agentId: 'b', parentId: 'run-2/call' });
    happen({ type: 'text', runId: 'inner', id: 'i', content: 'inside' });
    expect(look('inner')).toHaveLength(4);
    happen(...turn(2));
    expect(look('ask-2:user')).toHaveLength(5);
    happen(...turn(3));
    expect(look('ask-3:user')).toHaveLength(9);
  });

  it('gives calls of runs side by side the ids of their order, not of their place', () => {
    const { happen, look } = setUp();
    const call = (runId: string): AgentEvent => ({
      type: 'tool_call',
      runId,
      id: `${runId}/c`,
      name: 'look',
      input: {},
    });
    const start = (runId: string, parentId: string): AgentEvent => ({
      type: 'harness_start',
      runId,
      agentId: 'a',
      parentId,
    });
    happen({ type: 'user', runId: 'one', content: 'One.' }, { type: 'user', runId: 'two', content: 'Two.' });
    happen(start('first', 'one:user'), start('second', 'two:user'), call('second'), call('first'));
    const idsOf = (messageId: string) =>
      look(messageId).flatMap(({ role, content }) => (role === 'tool' ? content.map(({ id }) => id) : []));
    expect(idsOf('first')).toEqual(['c']);
    expect(idsOf('second')).toEqual(['c_2', 'c']);
  });

  it('gives the ids of calls that are not on the branch any more to others', () => {
    const { happen, look } = setUp();
    const [, ...answer] = turn(2);
    happen(...turn(1), ...turn(2));
    look('run-2');
    happen(
      { type: 'user', runId: 'ask-3', content: 'another question', parentMessageId: 'run-1' },
      ...answer.map(event => ({ ...event, runId: 'run-3', parentId: 'ask-3:user' })),
    );
    expect(look('run-3')).toHaveLength(8);
  });

  it('refuses what is no message on a branch, and stays what it is', () => {
    const { happen, look, sent } = setUp();
    happen({ type: 'user', runId: 'ask', content: 'Hello.' });
    const messages = look('ask:user');
    expect(() => sent('nobody')).toThrowError(expect.objectContaining({ code: 'invalid_argument' }) as Error);
    expect(look('ask:user')).toEqual(messages);
  });
});
