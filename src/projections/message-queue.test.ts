import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentEvent } from '../../test/support/random-events.ts';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { foldAll } from './fold.ts';
import { messageQueue, type WaitingMessage } from './message-queue.ts';

const queued = (id: string, fields: Partial<EventOf<'message_queued'>> = {}): EventOf<'message_queued'> => ({
  type: 'message_queued',
  runId: `queue ${id}`,
  id,
  content: id,
  delivery: 'follow_up',
  agent: 'demo',
  order: 0,
  ...fields,
});
const said = (id: string): AgentEvent => ({ type: 'user', runId: 'r', id, content: id });
const withdrawn = (id: string): AgentEvent => ({ type: 'message_withdrawn', runId: `w ${id}`, id });
const queue = (...events: AgentEvent[]) => foldAll(messageQueue(), events);
const ids = (waiting: readonly WaitingMessage[]) => waiting.map(({ id }) => id);

describe('the queue of a thread', () => {
  it('has a message until the `user` event with its id delivers it', () => {
    const sent = queued('a', { waitsFor: 'run', by: 'ann', model: 'm/x', mode: 'plan', ts: '2026-01-01T00:00:00Z' });
    expect(queue(sent)).toEqual([
      {
        id: 'a',
        content: 'a',
        delivery: 'follow_up',
        agent: 'demo',
        order: 0,
        waitsFor: 'run',
        by: 'ann',
        model: 'm/x',
        mode: 'plan',
        since: '2026-01-01T00:00:00Z',
      },
    ]);
    expect(queue(sent, said('b'), { type: 'user', runId: 'r', content: 'a' })).toHaveLength(1);
    expect(queue(sent, said('a'))).toEqual([]);
  });

  it('has no message that was withdrawn', () => {
    expect(ids(queue(queued('a'), queued('b'), withdrawn('a')))).toEqual(['b']);
  });

  it('orders messages by their place, and equals as they were accepted', () => {
    const three = [queued('a', { order: 2 }), queued('b', { order: 1 }), queued('c', { order: 1 })];
    expect(ids(queue(...three))).toEqual(['b', 'c', 'a']);
    expect(ids(queue(...three, { type: 'message_changed', runId: 'x', id: 'a', order: 0.5 }))).toEqual(['a', 'b', 'c']);
  });

  it('shows the newest words of a message that was changed', () => {
    const change: AgentEvent = { type: 'message_changed', runId: 'x', id: 'a', content: 'better' };
    expect(queue(queued('a', { order: 3 }), change)).toMatchObject([{ id: 'a', content: 'better', order: 3 }]);
    expect(queue(change)).toEqual([]);
  });

  it('keeps what was accepted first when an id is queued again', () => {
    expect(queue(queued('a', { content: 'first' }), queued('a', { content: 'second' }))).toMatchObject([
      { content: 'first' },
    ]);
  });

  it('reads a `steer_requested` of an older log as a message into its run', () => {
    const steer: AgentEvent = { type: 'steer_requested', runId: 'run', id: 'a', content: 'hurry', by: 'ann' };
    expect(queue(steer)).toEqual([
      { id: 'a', content: 'hurry', delivery: 'steer', order: 0, waitsFor: 'run', by: 'ann' },
    ]);
    expect(queue(steer, said('a'))).toEqual([]);
    expect(queue(steer, { type: 'harness_end', runId: 'run', agentId: 'demo' })).toEqual([]);
  });

  it('begins empty where a thread was branched or imported', () => {
    const events = [queued('a', { seq: 1 }), queued('b', { seq: 2 }), queued('c', { seq: 3 })];
    expect(ids(foldAll(messageQueue(2), events))).toEqual(['c']);
  });

  it('equals the messages that were queued after their last delivery, for any events', () => {
    const message = fc.constantFrom('a', 'b', 'c');
    const order = fc.nat(3);
    const event = fc.oneof(
      fc.record({ id: message, order }).map(({ id, order }) => queued(id, { order })),
      fc.record({ id: message, order }).map(fields => ({ type: 'message_changed' as const, runId: 'x', ...fields })),
      message.map(said),
      message.map(withdrawn),
      agentEvent(),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), events => {
        const fold = messageQueue();
        const views = events.map((_, index) => fold.view(events.slice(0, index + 1).reduce(fold.step, fold.initial)));
        let state = fold.initial;
        const states = events.map(next => (state = fold.step(state, next)));
        expect(states.map(fold.view)).toEqual(views);
        expect(views.map(ids)).toEqual(events.map((_, index) => waitingIn(events.slice(0, index + 1))));
      }),
    );
  });
});

/** The ids of the waiting messages, found without a fold. */
function waitingIn(events: readonly AgentEvent[]): string[] {
  const ids = new Set(events.flatMap(event => ('id' in event && event.id !== undefined ? [event.id] : [])));
  return [...ids]
    .flatMap(id => {
      const isAbout = (event: AgentEvent) => 'id' in event && event.id === id;
      const last = events.findLastIndex(event => isAbout(event) && /^(user|message_withdrawn)$/.test(event.type));
      const place = events.findIndex(
        (event, index) =>
          index > last &&
          isAbout(event) &&
          (event.type === 'message_queued' || (event.type === 'steer_requested' && !endsAfter(events, index))),
      );
      const first = events[place];
      if (first === undefined) return [];
      const moves = events
        .slice(place)
        .flatMap(event => (event.type === 'message_changed' && event.id === id ? (event.order ?? []) : []));
      return [{ id, place, order: moves.at(-1) ?? (first.type === 'message_queued' ? first.order : 0) }];
    })
    .toSorted((a, b) => a.order - b.order || a.place - b.place)
    .map(({ id }) => id);
}

/** Whether the run of an event ends after it. */
function endsAfter(events: readonly AgentEvent[], index: number): boolean {
  const runId = events[index]?.runId;
  return events.slice(index).some(event => event.type === 'harness_end' && event.runId === runId);
}
