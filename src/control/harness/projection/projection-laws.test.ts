import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../../test/support/random-conversations.ts';
import { eventStream } from '../../../../test/support/random-events.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../../../graph/conversation/conversation.ts';
import { defaultDisplayState } from '../display/display-state.ts';
import { reduceDisplayState } from '../display/reduce-display-state.ts';
import type { DisplayEvent } from '../harness-event.ts';
import type { HarnessMessage } from '../harness-message.ts';
import { getMessageDelta } from '../messages/message-view.ts';
import { threadMessages } from '../messages/thread-messages.ts';
import { emptyProjection } from './projection-state.ts';
import { foldHarness, projectHarness } from './project-harness.ts';

const log = (): fc.Arbitrary<AgentEvent[]> => fc.oneof(conversationLog(), eventStream());
const plain = (events: readonly DisplayEvent[]) => structuredClone(events) as DisplayEvent[];
const messageIn = (event: DisplayEvent): HarnessMessage | undefined =>
  event.type === 'message_start' || event.type === 'message_update' || event.type === 'message_end'
    ? event.message
    : undefined;
const fromScratch = (events: readonly AgentEvent[]) =>
  threadMessages(structuredClone(events).reduce(reduceConversation, createConversation()));

describe('laws of the projection', () => {
  it('prefix: a truncated log emits a prefix of the events of the whole log', () => {
    fc.assert(
      fc.property(log(), fc.nat(), (events, cut) => {
        const whole = foldHarness(events).events;
        const part = foldHarness(events.slice(0, cut % (events.length + 1))).events;
        expect(plain(part)).toEqual(plain(whole.slice(0, part.length)));
      }),
    );
  });

  it('resumption: continuing from a stored state emits the remaining events', () => {
    fc.assert(
      fc.property(log(), fc.nat(), (events, cut) => {
        const at = cut % (events.length + 1);
        const first = foldHarness(events.slice(0, at));
        const whole = plain(foldHarness(events).events);
        for (const rest of [0, 1].map(() => foldHarness(events.slice(at), first.state).events))
          expect([...plain(first.events), ...plain(rest)]).toEqual(whole);
      }),
    );
  });

  it('permanence: a message that is read late is unchanged', () => {
    fc.assert(
      fc.property(log(), events => {
        let state = emptyProjection();
        const late: DisplayEvent[] = [];
        const early: DisplayEvent[] = [];
        for (const event of events) {
          const next = projectHarness(state, structuredClone(event));
          early.push(...plain(projectHarness(state, event).events));
          late.push(...next.events);
          state = next.state;
        }
        expect(plain(late)).toEqual(early);
      }),
      { numRuns: 60 },
    );
  });

  it('messages: emitted messages equal those that a reader of the log finds', () => {
    fc.assert(
      fc.property(conversationLog(), fc.nat(), (events, cut) => {
        const prefix = events.slice(0, cut % (events.length + 1));
        const emitted = new Map<string, HarnessMessage>();
        for (const event of foldHarness(prefix).events) {
          const message = messageIn(event);
          if (message !== undefined && event.type !== 'message_start') emitted.set(message.id, message);
        }
        for (const message of fromScratch(prefix)) {
          const known = emitted.get(message.id);
          if (known === undefined) expect(message.role).toBe('user');
          else
            expect([message.id, known.createdAt, known.content]).toEqual([
              message.id,
              message.createdAt,
              message.content,
            ]);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('balance: agent_start and agent_end alternate, and a message starts before it grows or ends', () => {
    fc.assert(
      fc.property(log(), events => {
        let running = false;
        const begun = new Set<string>();
        for (const event of foldHarness(events).events) {
          if (event.type === 'agent_start' || event.type === 'agent_end') {
            expect(running).toBe(event.type === 'agent_end');
            running = !running;
          }
          const message = messageIn(event);
          if (event.type === 'message_start') begun.add(event.message.id);
          else if (message !== undefined) expect(begun).toContain(message.id);
        }
      }),
    );
  });
});

describe('a long message', () => {
  it('is emitted delta by delta without copies of its text: every update can be kept', () => {
    const count = 50_000;
    let state = foldHarness([{ type: 'harness_start', runId: 'run', agentId: 'a' }]).state;
    const kept: HarnessMessage[] = [];
    for (let index = 0; index < count; index++) {
      const next = projectHarness(state, { type: 'text', runId: 'run', id: 't', content: 'ten chars.' });
      state = next.state;
      const message = next.events.map(messageIn).at(-1);
      if (message !== undefined) kept.push(message);
    }
    const lengthAt = (index: number) => kept[index]?.content.map(part => (part.type === 'text' ? part.text.length : 0));
    expect([0, 999, count - 1].map(lengthAt)).toEqual([[10], [10_000], [count * 10]]);
    expect(getMessageDelta(kept[7] as HarnessMessage)).toEqual({ type: 'text', delta: 'ten chars.' });
  });
});

describe('laws of the display', () => {
  it('immutability: a display state never changes', () => {
    fc.assert(
      fc.property(log(), events => {
        let state = defaultDisplayState();
        const shown = [state];
        for (const event of foldHarness(events).events) {
          state = reduceDisplayState(state, event, new Date(0));
          shown.push(state);
        }
        const then: unknown[] = [];
        let again = defaultDisplayState();
        then.push(structuredClone(again));
        for (const event of foldHarness(events).events) {
          again = reduceDisplayState(again, event, new Date(0));
          then.push(structuredClone(again));
        }
        expect(shown).toEqual(then);
      }),
      { numRuns: 60 },
    );
  });

  it('rest: when no agent runs, nothing is pending and no tool is running, but suspended calls', () => {
    fc.assert(
      fc.property(conversationLog(), events => {
        let state = defaultDisplayState();
        for (const event of foldHarness(events).events) {
          state = reduceDisplayState(state, event, new Date(0));
          if (event.type !== 'agent_end') continue;
          expect(state).toMatchObject({ isRunning: false, pendingApproval: null, pendingQuestion: null });
          const running = [...state.activeTools].filter(([, { status }]) => status === 'running');
          if (event.reason === 'suspended') expect(state.pendingSuspension).not.toBe(null);
          else expect([running, state.pendingSuspension]).toEqual([[], null]);
        }
      }),
    );
  });
});
