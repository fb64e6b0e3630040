import type { AgentEvent } from 'singletree/events';
import { createConversation, createGraph, defaultActive, reduceConversation, reduceEvent } from 'singletree/graph';
import { type Fold, projectDAG, projectMessages, projectThread, threadFold, totals } from 'singletree/projections';
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
