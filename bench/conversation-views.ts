import type { AgentEvent } from 'singletree/events';
import { createConversation, createGraph, defaultActive, reduceConversation, reduceEvent } from 'singletree/graph';
import {
  type Fold,
  projectDAG,
  projectMessages,
  projectThread,
  type ThreadReading,
  threadFold,
  threadReading,
  totals,
} from 'singletree/projections';
import { conversation } from './conversation.ts';
import { race } from './measure.ts';
import type { Result } from './result.ts';

const sizes = [1_000, 10_000, 100_000];
const lastEvents = 200;

/** A conversation costs the same for each event at any size, and so does a view that is kept up. */
export async function* conversationViews(): AsyncGenerator<Result> {
  for (const size of sizes) {
    const events = logged(size);
    yield* reduceAt(size, events);
    yield* viewAt(size, events);
  }
  for (const count of [1_000, 16_000]) {
    yield* readingAt(`${count.toLocaleString('en-US')} calls in one run`, manyCalls(count));
    yield* readingAt(`${count.toLocaleString('en-US')} runs`, manyRuns(count));
  }
}

/** What the page does: it takes in every event, and once in a while shows the newest messages and their newest parts. */
async function* readingAt(size: string, events: readonly AgentEvent[]): AsyncGenerator<Result> {
  const { step, view } = threadReading;
  const read = () => {
    // A getter: each round begins with a store of its own, not with a branch of the one before.
    let state = threadReading.initial;
    for (const [index, event] of events.entries()) {
      state = step(state, event);
      if (index % eventsPerFrame === 0) show(view(state));
    }
    show(view(state));
  };
  const show = ({ nodeList }: ThreadReading) => nodeList.slice(-100).map(({ partList }) => partList.slice(-200));
  const { ours } = await race({ ours: read }, { warmups: 1, rounds: 3, measure: 'cpu' });
  const claim = `reading view: shown every ${eventsPerFrame} events, vs 1.2 s`;
  yield { claim, size, unit: 'ms CPU', ours, peer: 1_200, goal: { atMost: 1 } };
  yield { claim: 'reading view: each event', size, unit: 'µs/event', ours: (ours / events.length) * 1e3 };
}

const eventsPerFrame = 50;

function manyCalls(count: number): AgentEvent[] {
  const runId = 'r';
  const call = (number: number): AgentEvent[] => {
    const id = `c${number}`;
    return [
      { type: 'step_start', runId, step: number },
      { type: 'text', runId, id: `t${number}`, content: 'Next.' },
      { type: 'tool_call', runId, id, name: 'read', input: { path: 'a' } },
      { type: 'usage', runId, inputTokens: 10, outputTokens: 2 },
      { type: 'tool_start', runId, id, name: 'read' },
      { type: 'tool_result', runId, id, name: 'read', output: { context: 'ok' } },
    ];
  };
  return [
    { type: 'user', runId: 'u', content: 'Go.' },
    { type: 'harness_start', runId, agentId: 'a', parentId: 'u:user' },
    ...Array.from({ length: count }, (_, number) => call(number)).flat(),
    { type: 'harness_end', runId, agentId: 'a', reason: 'complete' },
  ];
}

function manyRuns(count: number): AgentEvent[] {
  return Array.from({ length: count }, (_, number): AgentEvent[] => {
    const runId = `r${number}`;
    return [
      { type: 'user', runId: `u${number}`, content: 'Go.' },
      { type: 'harness_start', runId, agentId: 'a', parentId: `u${number}:user` },
      { type: 'text', runId, id: 't', content: 'Done.' },
      { type: 'usage', runId, inputTokens: 10, outputTokens: 2 },
      { type: 'harness_end', runId, agentId: 'a', reason: 'complete' },
    ];
  }).flat();
}

async function* reduceAt(size: number, events: readonly AgentEvent[]): AsyncGenerator<Result> {
  const times = await race(
    {
      conversation: () => events.reduce(reduceConversation, createConversation()),
      flat: () => events.reduce(reduceEvent, createGraph()),
      totals: () => events.reduce(totals.step, totals.initial),
    },
    { warmups: 1, rounds: 4, repeat: Math.ceil(50_000 / size) },
  );
  const row = { size: `${size.toLocaleString('en-US')} events`, unit: 'ns/event' };
  const perEvent = (milliseconds: number) => (milliseconds / size) * 1e6;
  yield {
    ...row,
    claim: 'conversation: reduce, vs the flat graph',
    ours: perEvent(times.conversation),
    peer: perEvent(times.flat),
  };
  yield { ...row, claim: 'totals: reduce', ours: perEvent(times.totals) };
}

async function* viewAt(size: number, events: readonly AgentEvent[]): AsyncGenerator<Result> {
  const whole = events.reduce(reduceConversation, createConversation());
  const fresh = () => events.reduce(reduceConversation, createConversation());
  const row = { size: `${size.toLocaleString('en-US')} events`, unit: 'ms' };
  const scratch = await race(
    {
      replay: () => void fresh(),
      thread: () => projectThread(...shown(fresh())),
      messages: () => projectMessages(...shown(fresh())),
      dag: () => projectDAG(...shown(whole)),
    },
    { warmups: 1, rounds: 3, repeat: Math.ceil(10_000 / size) },
  );
  yield { ...row, claim: 'thread: from scratch, replay included', ours: scratch.thread, peer: scratch.replay };
  yield { ...row, claim: 'messages: from scratch, replay included', ours: scratch.messages, peer: scratch.replay };
  yield { ...row, claim: 'drawing: from scratch', ours: scratch.dag };
  yield {
    ...row,
    unit: 'µs/event',
    claim: 'thread: one more event and the view',
    ours: (await kept(events, threadFold())) * 1e3,
  };
}

/** Milliseconds for one more event and the view after it, at the end of the events. */
async function kept<State, View>(
  events: readonly AgentEvent[],
  { initial, step, view }: Fold<State, View>,
): Promise<number> {
  const before = events.slice(0, -lastEvents).reduce(step, initial);
  view(before);
  const last = events.slice(-lastEvents);
  const { live } = await race(
    {
      live: () => {
        let state = before;
        for (const event of last) view((state = step(state, event)));
      },
    },
    { warmups: 1, rounds: 3 },
  );
  return live / lastEvents;
}

function shown(state: ReturnType<typeof createConversation>) {
  return [state, defaultActive(state)] as const;
}

function logged(size: number): AgentEvent[] {
  const start = Date.UTC(2025, 0, 1);
  return conversation(size).map((event, n) => ({ ...event, seq: n + 1, ts: new Date(start + n * 40).toISOString() }));
}
