import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentEvent, LoggedEvent } from '../../src/events/index.ts';
import { createConversation, defaultActive, reduceConversation } from '../../src/graph/index.ts';
import { projectThread } from '../../src/projections/index.ts';
import { type AgUiEvent, agUiEncoder, agUiMessages } from '../../src/protocols/index.ts';
import { encodeAll } from '../../src/protocols/encoder.ts';
import {
  type AgUiClient,
  agUiClientsReady,
  type ClientMessage,
  loadAgUiPeers,
  type WireEvent,
} from '../support/ag-ui-clients.ts';
import { conversationLog } from '../support/random-conversations.ts';
import { eventStream } from '../support/random-events.ts';
import { requestLog } from '../support/random-requests.ts';
import { examples } from '../support/request-examples.ts';
import { lawRuns } from '../support/run-size.ts';

const toWire = (events: readonly AgUiEvent[]) => events as readonly unknown[] as readonly WireEvent[];

/** The messages of a thread as a reload gets them. */
function readMessages(events: readonly AgentEvent[]): ClientMessage[] {
  return JSON.parse(JSON.stringify(agUiMessages(nodesOf(events)))) as ClientMessage[];
}

/** The reading view of a request, without words that belong to no run. */
function nodesOf(events: readonly AgentEvent[]) {
  const own = events.filter(({ runId }) => runId !== 'elsewhere' && runId !== 'other');
  const conversation = own.reduce(reduceConversation, createConversation());
  return projectThread(conversation, { ...defaultActive(conversation), full: true });
}

const run = { runId: 'run-1' };
const replacedReasoning: AgentEvent[] = [
  { ...run, type: 'harness_start', agentId: 'main' },
  { ...run, type: 'step_start', step: 0 },
  { ...run, type: 'reasoning', id: 'r', content: 'Hm.' },
  { ...run, type: 'step_start', step: 0 },
];
const reusedTextId: AgentEvent[] = [
  { ...run, type: 'harness_start', agentId: 'main' },
  { ...run, type: 'step_start', step: 0 },
  { ...run, type: 'text', id: 't', content: 'One ' },
  { ...run, type: 'step_start', step: 0 },
  { ...run, type: 'text', id: 't', content: 'again ' },
];
const textAroundMessage: AgentEvent[] = [
  { ...run, type: 'harness_start', agentId: 'main' },
  { ...run, type: 'text', id: 't', content: 'One ' },
  { ...run, type: 'user', content: 'also this' },
  { ...run, type: 'text', id: 't', content: 'two ' },
];

const withoutAttempt = (id: string) => id.replaceAll(/~\d+/g, '');

/** Texts by the id the log has and which of its pieces each is: the views mark a piece after a replaced one differently. */
function byPiece(texts: readonly (readonly [string, string])[]): Map<string, string> {
  const pieces = new Map<string, number>();
  return new Map(
    texts.map(([id, text]) => {
      const logged = id.replace(/[~#]\d+$/, '');
      pieces.set(logged, (pieces.get(logged) ?? 0) + 1);
      return [`${logged} ${pieces.get(logged)}`, text];
    }),
  );
}

/** The texts and calls in messages, without those that another attempt took the place of. */
function shown(messages: readonly ClientMessage[]) {
  const isReplaced = (id: string) =>
    messages.some(each => each.metadata?.singletree?.['replaced'] === true && [each.id, each.toolCallId].includes(id));
  const texts = messages.flatMap(({ id, role, content }) =>
    (role === 'assistant' || role === 'reasoning') && typeof content === 'string' && !isReplaced(id)
      ? [[id, content] as const]
      : [],
  );
  const calls = messages.flatMap(({ toolCalls = [] }) =>
    toolCalls.flatMap(call => (isReplaced(call.id) ? [] : [[withoutAttempt(call.id), call.function] as const])),
  );
  return { texts: byPiece(texts), calls: new Map(calls) };
}

const results = (messages: readonly ClientMessage[]) =>
  new Map(
    messages.flatMap(({ toolCallId, content, metadata }) =>
      toolCallId === undefined || metadata?.singletree?.['replaced'] === true ? [] : [[toolCallId, content] as const],
    ),
  );

describe.skipIf(!agUiClientsReady('the AG-UI clients on random logs'))('the real AG-UI clients', () => {
  let clients: readonly AgUiClient[];
  beforeAll(async () => {
    ({ clients } = await loadAgUiPeers());
  }, 300_000);

  it.each([
    ['every legal log of a request', requestLog()],
    ['a log of many turns', conversationLog()],
    ['whatever the events are', eventStream()],
  ])('accept %s', async (_, logs: fc.Arbitrary<AgentEvent[]>) => {
    await fc.assert(
      fc.asyncProperty(logs, async events => {
        for (const { version, fold } of clients) await fold(toWire(encodeAll(agUiEncoder({ version }), events)));
      }),
      { numRuns: lawRuns(100) },
    );
  });

  it('make of a request the texts and calls of the reading view', async () => {
    await fc.assert(
      fc.asyncProperty(requestLog().map(withCallNames), async events => {
        const read = readMessages(events);
        for (const { version, fold } of clients) {
          const { messages } = await fold(toWire(encodeAll(agUiEncoder({ version }), events)));
          expect(shown(messages)).toEqual(shown(read));
          expect([...results(messages)]).toEqual(expect.arrayContaining([...results(read)]));
        }
      }),
      { numRuns: lawRuns(100), examples: [[replacedReasoning], [reusedTextId], [textAroundMessage]] },
    );
  });

  it.each(Object.entries(examples))('make of "%s" what a reload shows', async (_, events) => {
    for (const { version, fold } of clients) {
      const { messages } = await fold(toWire(encodeAll(agUiEncoder({ version }), events)));
      expect(shown(messages).texts).toEqual(shown(readMessages(events)).texts);
      const reloaded = toWire([
        { type: 'RUN_STARTED', threadId: 't', runId: 'r' },
        { type: 'MESSAGES_SNAPSHOT', messages: agUiMessages(nodesOf(events)) },
        { type: 'RUN_FINISHED', threadId: 't', runId: 'r' },
      ]);
      expect((await fold(reloaded)).messages).toEqual(readMessages(events));
    }
  });

  it('have everything once when a run waits for people and goes on', async () => {
    const stopAt = fc.tuple(requestLog(), fc.nat(500));
    let interrupted = 0;
    await fc.assert(
      fc.asyncProperty(stopAt, async ([events, pick]) => {
        for (const { version, fold } of clients) {
          const whole = await fold(toWire(encodeAll(agUiEncoder({ version }), events)));
          const points = waitingPoints(events);
          const point = points[pick % Math.max(1, points.length)];
          if (point === undefined) continue;
          interrupted++;
          const first = agUiEncoder({ version });
          const before = [...events.slice(0, point).flatMap(event => first.encode(event)), ...first.interrupt()];
          expect(before.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
          const after = encodeAll(agUiEncoder({ version, after: point }), events);
          const { messages } = await fold(toWire([...before, ...after]));
          expect(messages).toEqual(whole.messages);
          expect(customs(before).concat(customs(after))).toEqual(customs(encodeAll(agUiEncoder({ version }), events)));
        }
      }),
      { numRuns: lawRuns(200) },
    );
    expect(interrupted).toBeGreaterThan(0);
  });
});

/** Gives the pieces of an input the name of the tool that is called with it. */
const withCallNames = (events: readonly LoggedEvent[]): LoggedEvent[] =>
  events.map((event, index) => {
    if (event.type !== 'tool_input_delta') return event;
    const call = events.slice(index).find(each => each.type === 'tool_call' && each.id === event.id);
    return call?.type === 'tool_call' ? { ...event, name: call.name } : event;
  });

/** After how many events the request only waits for people. */
function waitingPoints(events: readonly LoggedEvent[]): number[] {
  const encoder = agUiEncoder();
  return events.flatMap((event, index) => {
    encoder.encode(event);
    return encoder.standing === 'waiting' ? [index + 1] : [];
  });
}

const customs = (events: readonly AgUiEvent[]) =>
  events.flatMap(event => (event.type === 'CUSTOM' && event.name !== 'singletree.aborted' ? [event.name] : []));
