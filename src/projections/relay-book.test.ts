import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../test/support/random-conversations.ts';
import { eventStream } from '../../test/support/random-events.ts';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { fullHistory } from '../graph/conversation/active.ts';
import { foldAll } from './fold.ts';
import { projectThread } from './reading/project-thread.ts';
import { relayBook } from './relay-book.ts';
import type { RelayPart, ViewNode } from './reading/view-node.ts';
import { runStatus } from './run-status.ts';

const runId = 'r';
const relay: EventOf<'relay'> = {
  type: 'relay',
  runId,
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'write',
  params: {},
};
const answered = (outcome: EventOf<'relay_resolved'>['outcome']): AgentEvent => ({
  type: 'relay_resolved',
  runId,
  relayId: 'q',
  outcome,
});
const end: AgentEvent = { type: 'harness_end', runId, agentId: 'a' };
const book = (...events: AgentEvent[]) => foldAll(relayBook, events);

describe('the relay book', () => {
  it('has a relay pending until somebody answers it', () => {
    expect(book(relay).pending).toEqual([{ id: 'q', runId, relay, status: 'pending' }]);
    const { pending, ...rest } = { pending: book(relay, answered('reject')).pending };
    expect([pending, rest]).toEqual([[], {}]);
    expect(book(relay, answered('reject')).get('q')).toMatchObject({
      status: 'answered',
      answer: { outcome: 'reject' },
    });
  });

  it.each(['expired', 'cancelled'] as const)('closes a relay that is %s, with that reason', outcome => {
    expect(book(relay, answered(outcome)).get('q')).toMatchObject({ status: 'closed', reason: outcome });
  });

  it('closes a relay when its run ends; an answer after that does not count', () => {
    const entry = { id: 'q', runId, relay, status: 'closed', reason: 'run_ended' };
    expect(book(relay, end).get('q')).toEqual(entry);
    expect(book(relay, end, answered('approve')).get('q')).toEqual(entry);
    expect(book(end, relay).get('q')).toEqual(entry);
  });

  it('keeps the first answer, also when the relay is asked again', () => {
    const first = book(relay, answered('reject'), answered('approve'), relay);
    expect(first.get('q')).toMatchObject({ status: 'answered', answer: { outcome: 'reject' } });
    expect(first.pending).toEqual([]);
  });

  it('closes a relay at the time at which it expires, and is not changed by that', () => {
    const timed = book({ ...relay, expiresAt: '1970-01-01T00:01:00.000Z' }, { ...relay, id: 'other' });
    expect(timed.at(59_999).pending.map(({ id }) => id)).toEqual(['q', 'other']);
    expect(timed.at(60_000).pending.map(({ id }) => id)).toEqual(['other']);
    expect(timed.at(60_000).get('q')).toMatchObject({ status: 'closed', reason: 'expired' });
    expect(timed.with(answered('expired')).get('q')).toMatchObject({
      status: 'closed',
      answer: { outcome: 'expired' },
    });
    expect(timed.pending).toHaveLength(2);
  });

  it('does not know what nobody asked', () => {
    expect(book(answered('approve')).get('q')).toBeUndefined();
  });
});

/** Without relays whose id was used before: an id names one relay. */
function askedOnce(events: readonly AgentEvent[]): AgentEvent[] {
  const asked = new Set<string>();
  return events.filter(event => event.type !== 'relay' || (!asked.has(event.id) && asked.add(event.id)));
}

/** The relays in a view, by the id that their agent gave them. */
function relaysIn(nodes: readonly ViewNode[]): RelayPart[] {
  return nodes.flatMap(({ parts }) =>
    parts.flatMap(part => {
      if (part.kind === 'relay') return [part];
      if (part.kind === 'tool') return [...part.relays, ...relaysIn(part.runs)];
      return part.kind === 'repl' || part.kind === 'run' ? relaysIn(part.runs) : [];
    }),
  );
}

describe('every reader agrees with the book', () => {
  const streams = fc.oneof(eventStream(), conversationLog());

  it('in what a person sees and in where runs stand', () => {
    fc.assert(
      fc.property(streams.map(askedOnce), events => {
        const now = foldAll(relayBook, events);
        const conversation = events.reduce(reduceConversation, createConversation());
        for (const { relay, status, reason } of relaysIn(projectThread(conversation, fullHistory(conversation))))
          expect([relay.id, status, reason]).toEqual([relay.id, now.get(relay.id)?.status, now.get(relay.id)?.reason]);
        for (const run of foldAll(runStatus, events))
          expect(run.openRelays).toBe(now.pending.filter(each => each.runId === run.runId).length);
      }),
      { numRuns: 300 },
    );
  });

  it('and older books stay as they were', () => {
    fc.assert(
      fc.property(streams, events => {
        let state = relayBook.initial;
        const history: [typeof state, string][] = [];
        for (const event of events) {
          state = relayBook.step(state, event);
          history.push([state, JSON.stringify(state.pending)]);
        }
        for (const [before, pending] of history) expect(JSON.stringify(before.pending)).toBe(pending);
      }),
      { numRuns: 100 },
    );
  });
});
