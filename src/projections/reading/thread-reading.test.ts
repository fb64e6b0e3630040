import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { eventStream } from '../../../test/support/random-events.ts';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { foldAll } from '../fold.ts';
import { toNotice } from './notice.ts';
import { threadReading, type ThreadReadingState } from './thread-reading.ts';
import type { ViewPart } from './view-node.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ts: '2026-01-01T00:00:00.000Z' }));
const fold = (events: readonly AgentEvent[]): ThreadReadingState =>
  events.reduce(threadReading.step, threadReading.initial);
const read = (...events: AgentEvent[]) => foldAll(threadReading, logged(events));

const runId = 'r';
const user: AgentEvent = { type: 'user', runId: 'u', content: 'hello' };
const start: AgentEvent = { type: 'harness_start', runId, agentId: 'demo', parentId: 'u:user' };
const end: AgentEvent = { type: 'harness_end', runId, agentId: 'demo', reason: 'complete' };
const step = (number: number): AgentEvent => ({ type: 'step_start', runId, step: number });
const text = (content: string, id = 't'): AgentEvent => ({ type: 'text', runId, id, content });
const usage: AgentEvent = { type: 'usage', runId, inputTokens: 10, outputTokens: 2 };
const call: AgentEvent = { type: 'tool_call', runId, id: 'c', name: 'shell', input: { command: 'ls' } };
const toolStart: AgentEvent = { type: 'tool_start', runId, id: 'c', name: 'shell' };
const question: AgentEvent = { type: 'relay', runId, id: 'q', relayKind: 'question', question: 'Which?' };
const inChild = (event: AgentEvent): AgentEvent => ({ ...event, runId: 'kid', parentId: 'c' });

const brief = (parts: readonly ViewPart[] | undefined): string[] =>
  (parts ?? []).map(part => {
    if (part.kind === 'text' || part.kind === 'reasoning') return `${part.kind} ${part.text}`;
    if (part.kind === 'tool') return `tool ${part.id} ${part.status}`;
    if (part.kind === 'fact') return toNotice(part.event)?.message ?? part.event.type;
    return part.kind;
  });

describe('a thread as a person reads it', () => {
  it('has the context of the newest call of a run that no other run started', () => {
    const used = (of: string, inputTokens: number, callId?: string): AgentEvent => ({
      type: 'usage',
      runId: of,
      inputTokens,
      outputTokens: 1,
      model: 'm',
      ...(callId !== undefined && { callId }),
    });
    const child: AgentEvent = { type: 'harness_start', runId: 's', agentId: 'sub', parentId: 'c' };
    expect(read(user, start, used(runId, 5)).context).toBeUndefined();
    expect(read(user, start, used(runId, 10, 'a'), used(runId, 30, 'b')).context).toEqual({ tokens: 31, model: 'm' });
    expect(read(user, start, used(runId, 10, 'a'), call, child, used('s', 99, 'x')).context?.tokens).toBe(11);
  });

  it('has the messages of the active branch, and says which message a run answers', () => {
    const { nodes, running } = read(user, start, step(0), text('Hel'), text('lo'), usage, end);
    expect(nodes.map(({ role, text: words }) => `${role} ${words}`)).toEqual(['user hello', 'assistant Hello']);
    expect(nodes[1]?.answers).toBe('u:user');
    expect(running).toEqual([]);
  });

  it('has the runs under way that no other run started', () => {
    expect(read(user, start, call, toolStart, inChild(start)).running).toEqual([{ runId, messageId: runId }]);
    expect(read({ type: 'mode_changed', runId: 'control', modeId: 'plan' }).running).toEqual([]);
  });

  it('has what waits for a person, wherever it was asked', () => {
    const { pending } = read(user, start, call, toolStart, inChild(start), inChild({ ...question, id: 'k' }));
    expect(pending.map(({ id, runId: asker }) => [id, asker])).toEqual([['k', 'kid']]);
  });

  it('sums usage over all runs, and has a cost only when one was reported', () => {
    expect(read(usage, { ...usage, runId: 'other' }).usage).toEqual({ inputTokens: 20, outputTokens: 4 });
    expect(read(usage, { ...usage, cost: 0.5 }).usage.cost).toBe(0.5);
  });

  it('names the newest list of tasks of the branch', () => {
    const tasks = (content: string): AgentEvent => ({
      type: 'tasks',
      runId,
      tasks: [{ id: '1', content, status: 'pending' }],
    });
    const { nodes, tasks: newest } = read(user, start, tasks('old'), text('a'), tasks('new'));
    const part = nodes.flatMap(({ parts }) => parts).find(({ id }) => id === newest?.partId);
    expect(part).toMatchObject({ kind: 'fact', event: { tasks: [{ content: 'new' }] } });
    expect(read(user).tasks).toBeUndefined();
  });

  it('has facts as lines, in the message during which they happened', () => {
    const { nodes } = read(
      user,
      start,
      { type: 'warning', runId, message: 'careful' },
      { type: 'error', runId, message: 'broken' },
      end,
      { type: 'mode_changed', runId: 'control', modeId: 'plan' },
    );
    expect(brief(nodes[1]?.parts)).toEqual(['careful', 'broken', 'Mode: plan']);
  });

  it('shows what a summary stands for, and that there is one', () => {
    const { nodes } = read(user, start, text('a'), end, {
      type: 'summary',
      runId: 's',
      id: 'sum',
      kind: 'compaction',
      text: 'short',
      covers: { from: 'u:user', to: runId },
    });
    expect(nodes.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(brief(nodes[1]?.parts).at(-1)).toBe('Earlier messages were summarised for the agent.');
  });

  it('keeps only the newest reports of a call', () => {
    const report = (number: number): AgentEvent => ({
      type: 'tool_progress',
      runId,
      id: `p${number}`,
      toolCallId: 'c',
      name: 'shell',
      content: number,
    });
    const { nodes } = read(user, start, call, toolStart, ...Array.from({ length: 500 }, (_, number) => report(number)));
    const progress = nodes[1]?.toolCalls[0]?.progress;
    expect([progress?.length, progress?.[0], progress?.at(-1)]).toEqual([200, 300, 499]);
  });
});

describe('a step that is tried again', () => {
  it('replaces an attempt that did not come to its end', () => {
    const { nodes } = read(user, start, step(0), text('half'), call, step(0), text('whole'));
    expect(brief(nodes[1]?.parts)).toEqual(['text whole']);
  });

  it('keeps a call that was started: it may have done something', () => {
    const { nodes } = read(user, start, step(0), text('half'), call, toolStart, step(0), text('whole'));
    expect(brief(nodes[1]?.parts)).toEqual(['tool c running', 'text whole']);
  });

  it('never replaces an attempt that was completed', () => {
    const { nodes } = read(user, start, step(0), text('first'), usage, step(0), text('second'), usage);
    expect(brief(nodes[1]?.parts)).toEqual(['text first', 'text second']);
  });
});

describe('a relay about the call of another run', () => {
  const asks: AgentEvent = { ...question, runId: 'other', toolCallId: 'c' };
  const answers: AgentEvent = { type: 'relay_resolved', runId: 'other', relayId: 'q', outcome: 'answer', answer: 'A' };
  const standing = (...events: AgentEvent[]) => {
    const { nodes, pending } = read(user, start, call, ...events);
    return [nodes[1]?.toolCalls[0]?.relays[0]?.status, pending.length];
  };

  it('is pending, answered or closed as in the relay book, also before its run has begun', () => {
    expect(standing(asks)).toEqual(['pending', 1]);
    expect(standing(asks, answers)).toEqual(['answered', 0]);
    expect(standing(asks, { ...end, runId: 'other' })).toEqual(['closed', 0]);
  });
});

describe('the fold', () => {
  const streams = fc.oneof(eventStream().map(logged), conversationLog(60, 10));

  it('shows after every event what the events show from scratch', () => {
    fc.assert(
      fc.property(streams, events => {
        let state = threadReading.initial;
        for (const [index, event] of events.entries()) {
          state = threadReading.step(state, event);
          const scratch = threadReading.view(fold(events.slice(0, index + 1).map(each => ({ ...each }))));
          expect(JSON.stringify(threadReading.view(state))).toBe(JSON.stringify(scratch));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('takes every event once, and leaves older states as they were', () => {
    fc.assert(
      fc.property(streams, events => {
        const states = [threadReading.initial];
        for (const event of events) states.push(threadReading.step(states.at(-1) as ThreadReadingState, event));
        const views = states.map(state => JSON.stringify(threadReading.view(state)));
        const last = states.at(-1) as ThreadReadingState;
        for (const event of events) expect(threadReading.step(last, event)).toBe(last);
        expect(states.toReversed().map(state => JSON.stringify(threadReading.view(state)))).toEqual(views.toReversed());
      }),
      { numRuns: 60 },
    );
  });

  it('gives the same objects for what did not change', () => {
    const before = fold(logged([user, start, step(0), call, toolStart, text('a', 'x')]));
    const after = threadReading.step(before, { ...text('b', 'x'), seq: 7, ts: '' });
    const [earlier, later] = [before, after].map(state => threadReading.view(state).nodes);
    expect(later?.[0]).toBe(earlier?.[0]);
    expect(later?.[1]?.parts[0]).toBe(earlier?.[1]?.parts[0]);
    expect(later?.[1]?.parts[1]).not.toBe(earlier?.[1]?.parts[1]);
  });
});
