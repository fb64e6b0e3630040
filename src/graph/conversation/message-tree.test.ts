import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { createConversation, reduceConversation } from './conversation.ts';
import { MessageTree, type MessageTreeState } from './message-tree.ts';
import { getMessages } from './queries.ts';

const renumbered = (events: readonly LoggedEvent[]) => events.map((event, index) => ({ ...event, seq: index + 1 }));

describe('the tree of messages', () => {
  it('has the messages of the conversation after each event, also when it is continued from its state', () => {
    fc.assert(
      fc.property(conversationLog(120), fc.nat(40), (log, restart) => {
        let tree = new MessageTree();
        let conversation = createConversation();
        const changed = new Map<string, unknown>();
        for (const event of renumbered(log)) {
          if (event.seq % (restart + 2) === 0)
            tree = new MessageTree(JSON.parse(JSON.stringify(tree.state())) as MessageTreeState);
          conversation = reduceConversation(conversation, event);
          for (const id of tree.take(event)) changed.set(id, tree.message(id));
          const expected = getMessages(conversation);
          expect([...changed.values()]).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('keeps no text', () => {
    const tree = new MessageTree();
    tree.take({ type: 'user', runId: 'asked', content: 'secret words', seq: 1, ts: '2026-01-01T00:00:00.000Z' });
    tree.take({
      type: 'text',
      runId: 'run',
      id: 'text',
      content: 'secret words',
      seq: 2,
      ts: '2026-01-01T00:00:00.000Z',
    });
    expect(JSON.stringify(tree.state())).not.toContain('secret');
    expect(tree.start('run')).toEqual({ seq: 2, ts: '2026-01-01T00:00:00.000Z' });
  });
});
