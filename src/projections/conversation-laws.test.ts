import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../test/support/run-size.ts';
import { conversationLog, unlogged } from '../../test/support/random-conversations.ts';
import { eventStream, recordEvent } from '../../test/support/random-events.ts';
import { happened, seenIn } from '../../test/support/seen-in-thread.ts';
import { refusals } from '../../test/support/strict-validator.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { ThreadOutline } from '../events/outline/thread-outline.ts';
import { activeUpTo, defaultActive, fullHistory } from '../graph/conversation/active.ts';
import { type Conversation, createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { createGraph, reduceEvent } from '../graph/graph.ts';
import { getBlocks, getChunks, getMessages, getChunkText } from '../graph/conversation/queries.ts';
import { projectMessages } from './model-input/project-messages.ts';
import { projectThread } from './reading/project-thread.ts';
import { relayBook } from './relay-book.ts';

const log = (): fc.Arbitrary<AgentEvent[]> => fc.oneof(conversationLog(), eventStream());
const replay = (events: readonly AgentEvent[], from: Conversation = createConversation()) =>
  events.reduce(reduceConversation, from);
const viewsOf = (conversation: Conversation) => {
  const active = defaultActive(conversation);
  return {
    active,
    thread: projectThread(conversation, active),
    short: projectThread(conversation, active, { hideReasoning: true, collapseTools: true }),
    full: projectThread(conversation, fullHistory(conversation)),
    messages: projectMessages(conversation, active),
  };
};
const once = (events: readonly AgentEvent[]) => [...new Set(events)];
const settings = { numRuns: lawRuns(100) };

describe('laws of the views of a conversation', () => {
  it('replay: kept up event by event, every view is what it is from scratch', () => {
    fc.assert(
      fc.property(log(), events => {
        let conversation = createConversation();
        events.forEach((event, index) => {
          conversation = reduceConversation(conversation, event);
          const views = viewsOf(conversation);
          if (index % 7 === 0 || index === events.length - 1)
            expect(views).toEqual(viewsOf(replay(structuredClone(events.slice(0, index + 1)))));
        });
      }),
      settings,
    );
  });

  it('immutability: every older conversation shows what it showed', () => {
    fc.assert(
      fc.property(log(), events => {
        let conversation = createConversation();
        const history: [Conversation, unknown][] = [];
        for (const event of events) {
          conversation = reduceConversation(conversation, event);
          history.push([conversation, structuredClone(viewsOf(conversation))]);
        }
        for (const [older, then] of history) expect(viewsOf(older)).toEqual(then);
      }),
      { numRuns: lawRuns(40) },
    );
  });

  it('forks: reducing an older conversation is the same as replaying its events with the new ones', () => {
    fc.assert(
      fc.property(log(), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 30 }), (events, steps) => {
        const plain = unlogged(events);
        const branches: { conversation: Conversation; events: AgentEvent[] }[] = [
          { conversation: createConversation(), events: [] },
          { conversation: replay(plain), events: plain },
        ];
        for (const [which, what] of steps) {
          const from = branches[which % branches.length];
          const event = plain[what % Math.max(1, plain.length)];
          if (from === undefined || event === undefined) continue;
          const conversation = reduceConversation(from.conversation, event);
          viewsOf(conversation);
          branches.push({ conversation, events: [...from.events, event] });
        }
        for (const branch of branches)
          expect(viewsOf(branch.conversation)).toEqual(viewsOf(replay(structuredClone(branch.events))));
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it('validity: what a model is sent is accepted by a strict validator, on every branch', () => {
    fc.assert(
      fc.property(log(), events => {
        const conversation = replay(events);
        expect(refusals(projectMessages(conversation, defaultActive(conversation)))).toEqual([]);
        for (const { id, spawnedBy } of getMessages(conversation))
          if (spawnedBy === undefined)
            expect(refusals(projectMessages(conversation, activeUpTo(conversation, id)))).toEqual([]);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it('completeness: nothing that happened is missing from the full thread', () => {
    const steady = log().map(events => askedOnce(once(events.filter(({ type }) => type !== 'step_start'))));
    fc.assert(
      fc.property(steady, events => {
        const seen = seenIn(projectThread(replay(events), fullHistory(replay(events))));
        const expected = happened(events);
        expect(seen.counts).toEqual(expected.counts);
        expect(seen.prose).toBe(expected.prose);
      }),
      { numRuns: lawRuns(200) },
    );
  });

  it('records: waiting messages, requested runs and model contexts are in no view and no graph', () => {
    const inserted = fc.array(fc.tuple(fc.nat(), recordEvent()), { minLength: 1, maxLength: 8 });
    const isRecord = ({ type }: AgentEvent) => /^(run_requested|message_|steer_requested|model_context)/.test(type);
    fc.assert(
      fc.property(log(), inserted, (events, more) => {
        const without = unlogged(events).filter(event => !isRecord(event));
        const mixed = [...without];
        for (const [at, event] of more) mixed.splice(at % (mixed.length + 1), 0, event);
        expect(viewsOf(replay(mixed))).toEqual(viewsOf(replay(without)));
        const flat = (all: readonly AgentEvent[]) => [...all.reduce(reduceEvent, createGraph())];
        expect(flat(mixed)).toEqual(flat(without));
        expect(outlined(mixed)).toEqual(outlined(without));
      }),
      settings,
    );
  });

  it('attempts: what a superseded attempt said is in no view, and everything else is', () => {
    fc.assert(
      fc.property(log().map(once), events => {
        const conversation = replay(events);
        const superseded = getMessages(conversation)
          .flatMap(({ id }) => getBlocks(conversation, id))
          .filter(({ state }) => state === 'superseded')
          .flatMap(({ id }) => getChunks(conversation, id))
          .filter(({ kind }) => kind === 'text' || kind === 'reasoning');
        const hidden = superseded.reduce((sum, { id }) => sum + getChunkText(conversation, id).length, 0);
        const { prose } = seenIn(projectThread(conversation, fullHistory(conversation)));
        expect(prose + hidden).toBe(happened(events).prose);
      }),
      settings,
    );
  });
});

/** The outline of events, without their places. */
function outlined(events: readonly AgentEvent[]): unknown {
  const outline = new ThreadOutline();
  for (const event of events) outline.take(event);
  return { ...outline.snapshot(), seq: 0 };
}

/** Without relays that were asked before, and without answers to a relay that is answered or closed. */
function askedOnce<Event extends AgentEvent>(events: readonly Event[]): Event[] {
  let book = relayBook.initial;
  return events.filter(event => {
    const before = event.type === 'relay' ? book.get(event.id) : undefined;
    const closed = event.type === 'relay_resolved' ? book.get(event.relayId) : undefined;
    book = relayBook.step(book, event);
    return before === undefined && (closed === undefined || closed.status === 'pending');
  });
}
