import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog, unlogged } from '../../../test/support/random-conversations.ts';
import { defined } from '../../base/defined.ts';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { OrderChecker } from '../../events/order.ts';
import { defaultActive } from '../../graph/conversation/active.ts';
import { getMessage } from '../../graph/conversation/queries.ts';
import { ThreadOutline } from '../../events/outline/thread-outline.ts';
import type { ReadingSnapshot } from './reading-snapshot.ts';
import { readingFrom, type ThreadReading, threadReading, type ThreadReadingState } from './thread-reading.ts';
import type { ViewNode } from './view-node.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ts: '' }));
/** The events of a log without those that break its order, and without runs that never start. */
function legal(events: readonly AgentEvent[]): LoggedEvent[] {
  const checker = new OrderChecker();
  return logged(events.filter(event => !event.runId.endsWith('-model') && checker.check(event).length === 0));
}
const fold = (state: ThreadReadingState, events: readonly AgentEvent[]) => events.reduce(threadReading.step, state);

const turn = (number: number): AgentEvent[] => {
  const runId = `r${number}`;
  return [
    { type: 'user', runId: `u${number}`, content: `question ${number}` },
    { type: 'harness_start', runId, agentId: 'a', parentId: `u${number}:user` },
    { type: 'text', runId, id: `${runId}/t`, content: `answer ${number}` },
    { type: 'usage', runId, inputTokens: 2, outputTokens: 1 },
    { type: 'harness_end', runId, agentId: 'a', reason: 'complete' },
  ];
};

/** One step of a run: text, a call and its result. */
const step = (runId: string, number: number): AgentEvent[] => [
  { type: 'step_start', runId, step: number },
  { type: 'text', runId, id: `${runId}/t${number}`, content: `step ${number}` },
  { type: 'tool_call', runId, id: `${runId}/c${number}`, name: 'read', input: { number } },
  { type: 'usage', runId, inputTokens: 1, outputTokens: 1 },
  { type: 'tool_start', runId, id: `${runId}/c${number}`, name: 'read' },
  { type: 'tool_result', runId, id: `${runId}/c${number}`, name: 'read', output: { context: 'fine' } },
];

function snapshotAt(events: readonly LoggedEvent[], seq: number): ReadingSnapshot {
  const outline = new ThreadOutline();
  for (const event of events) if (event.seq <= seq) outline.take(event);
  const snapshot = outline.snapshot();
  // It comes over a wire, and an outline continues with it.
  const copy = JSON.parse(JSON.stringify(snapshot)) as ReadingSnapshot;
  expect(new ThreadOutline(copy).snapshot()).toEqual(copy);
  return copy;
}

/** Reads the events after a seq, from the snapshot there. */
function readFrom(events: readonly LoggedEvent[], seq: number): ThreadReading {
  const later = events.filter(event => event.seq > seq);
  return threadReading.view(fold(readingFrom(snapshotAt(events, seq)), later));
}

/** An id that was used before gets a number, which counts from the snapshot. */
const plain = (value: unknown) => JSON.stringify(value).replaceAll(/#\d+"/g, '"');

/** The parts of a message that began after the snapshot. */
function laterParts(node: ViewNode, snapshot: ReadingSnapshot): ViewNode['parts'] {
  const known = new Set(snapshot.events.flatMap(event => ('id' in event ? [event.id, `${event.id}:input`] : [])));
  return node.parts.filter(({ id, kind, seq = 0 }) => !known.has(id) && !(kind === 'user' && seq <= snapshot.seq));
}

/** Whether a run answers a message that is not on the active branch; a snapshot does not show that. */
function startsElsewhere(events: readonly LoggedEvent[]): boolean {
  let state = threadReading.initial;
  return events.some(event => {
    state = threadReading.step(state, event);
    const message = event.type === 'harness_start' ? getMessage(state.conversation, event.runId) : undefined;
    const { messages } = defaultActive(state.conversation);
    return message !== undefined && message.spawnedBy === undefined && !messages.includes(message.id);
  });
}

const shownIn = ({ nodes, hidden }: ThreadReading) => nodes.filter(({ id }) => !hidden.has(id));

describe('a reading that begins with a snapshot', () => {
  const events = logged([...turn(1), ...turn(2), ...turn(3)]);

  it('shows the turns after it, and counts what was used before', () => {
    const reading = readFrom(events, 10);
    const { usage, seq, isOutdated } = reading;
    expect(shownIn(reading).map(({ text }) => text)).toEqual(['question 3', 'answer 3']);
    expect({ usage, seq, isOutdated }).toEqual({
      usage: { inputTokens: 6, outputTokens: 3 },
      seq: 15,
      isOutdated: false,
    });
  });

  it('is outdated when somebody edits, tries again or selects what is before it', () => {
    const later: AgentEvent[] = [
      { type: 'user', runId: 'u', content: 'else', parentMessageId: 'r1' },
      { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u1:user' },
      { type: 'branch_selected', runId: 'control', nodeId: 'u1:user' },
    ];
    for (const event of later)
      expect(readFrom(logged([...turn(1), ...turn(2), event]), 10)).toMatchObject({ isOutdated: true });
  });

  it('leaves out what comes late for a run that ended before it', () => {
    const late: AgentEvent = { type: 'tool_result', runId: 'r1', id: 'c', name: 'read', output: { context: 'late' } };
    const reading = readFrom(logged([...turn(1), ...turn(2), late, ...turn(3)]), 10);
    expect({ isOutdated: reading.isOutdated, texts: shownIn(reading).map(({ text }) => text) }).toEqual({
      isOutdated: false,
      texts: ['question 3', 'answer 3'],
    });
  });

  it('begins inside a run, with the parts that follow', () => {
    const steps = Array.from({ length: 200 }, (_, number) => step('r', number)).flat();
    const log = logged([
      { type: 'user', runId: 'u', content: 'go' },
      { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u:user' },
      ...steps,
    ]);
    const at = 2 + 6 * 190;
    const snapshot = snapshotAt(log, at);
    expect(JSON.stringify(snapshot).length).toBeLessThan(8_000);
    const whole = threadReading.view(fold(threadReading.initial, log));
    const { nodes, cut, running } = readFrom(log, at);
    expect(cut).toEqual(new Set(['r']));
    expect(running).toEqual(whole.running);
    expect(plain(nodes.at(-1)?.parts)).toBe(plain(whole.nodes.at(-1)?.parts.slice(-20)));
  });

  it('keeps what waits for a person, and shows the call that waits', () => {
    const call = step('r', 0).slice(0, 3);
    const asked: AgentEvent = {
      type: 'relay',
      runId: 'r',
      id: 'ask',
      relayKind: 'permission',
      toolCallId: 'r/c0',
      tool: 'read',
      params: {},
    };
    const log = logged([...turn(1), { type: 'harness_start', runId: 'r', agentId: 'a' }, ...call, asked]);
    const { pending, nodes } = readFrom(log, log.length);
    expect(pending).toMatchObject([{ id: 'ask', status: 'pending' }]);
    expect(nodes.at(-1)?.toolCalls).toMatchObject([{ id: 'r/c0', status: 'waiting', input: { number: 0 } }]);
  });

  it('continues a text after the results of calls that were made together', () => {
    const call = (id: string): AgentEvent => ({ type: 'tool_call', runId: 'r', id, name: 'read', input: {} });
    const result = (id: string): AgentEvent => ({
      type: 'tool_result',
      runId: 'r',
      id,
      name: 'read',
      output: { context: 'fine' },
    });
    const text = (content: string): AgentEvent => ({ type: 'text', runId: 'r', id: 't', content });
    const start: AgentEvent = { type: 'harness_start', runId: 'r', agentId: 'a' };
    const steer: AgentEvent = { type: 'user', runId: 'r', content: 'quickly' };
    for (const between of [result('one'), steer]) {
      const log = logged([start, call('one'), call('two'), between, text('It '), result('two'), text('works')]);
      const shown = log.map(({ seq }) =>
        readFrom(log, seq - 1)
          .nodes.at(-1)
          ?.parts.filter(({ kind }) => kind === 'text'),
      );
      expect(shown.map(parts => parts?.length)).toEqual(log.map(() => 1));
    }
  });

  it('shows of any log what the whole shows, from any place, unless it is outdated', () => {
    let compared = 0;
    fc.assert(
      fc.property(conversationLog(80, 10), fc.nat(), (random, place) => {
        const log = legal([...turn(1), ...turn(2), ...unlogged([...new Set(random)])]);
        const seq = place % (log.length + 1);
        const snapshot = snapshotAt(log, seq);
        const reading = readFrom(log, seq);
        if (reading.isOutdated) return;
        const whole = threadReading.view(fold(threadReading.initial, log));
        const earlier = fold(threadReading.initial, log.slice(0, seq)).conversation;
        if (startsElsewhere(log.slice(0, seq))) return;
        const began = ({ id }: ViewNode) => getMessage(earlier, id)?.id !== id;
        const shown = shownIn(reading);
        expect(shown.filter(began).map(({ id }) => id)).toEqual(whole.nodes.filter(began).map(({ id }) => id));
        for (const node of shown) {
          const other = whole.nodes.find(({ id }) => id === node.id) ?? expect.fail(`${node.id} is not in the whole`);
          const parts = laterParts(node, snapshot);
          const isCut = reading.cut.has(node.id);
          const others = isCut && parts.length > 0 ? other.parts.slice(-parts.length) : other.parts;
          if (parts.length > 0 || !isCut) expect(plain(parts)).toBe(plain(others));
          const { role, status, agentId, model } = other;
          expect(node).toMatchObject({ role, ...defined({ status, agentId, model }) });
          if (!isCut) expect(node.siblings).toEqual(other.siblings);
          compared++;
        }
        const { running, pending, usage } = reading;
        expect({ running, pending: pending.map(({ id }) => id), usage }).toEqual({
          running: whole.running,
          pending: whole.pending.map(({ id }) => id),
          usage: whole.usage,
        });
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(20);
  });
});
