import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../test/support/random-conversations.ts';
import { eventStream } from '../../../test/support/random-events.ts';
import type { AgentEvent, LoggedEvent } from '../../events/index.ts';
import type { ReadingSnapshot } from './reading-snapshot.ts';
import type { ViewNode } from './view-node.ts';
import { readingFrom, threadReading, type ThreadReadingState } from './thread-reading.ts';

const logged = (events: readonly AgentEvent[]): LoggedEvent[] =>
  events.map((event, index) => ({ ...event, seq: index + 1, ts: '' }));
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

/** An id that was used before gets a number, which counts from the snapshot. */
const plain = (nodes: readonly ViewNode[]) => JSON.stringify(nodes).replaceAll(/#\d+"/g, '"');

/** Reads the events from the newest snapshot of the first ones, as it comes over a wire. */
function readFrom(events: readonly LoggedEvent[], count: number) {
  const snapshot = fold(threadReading.initial, events.slice(0, count)).snapshot;
  if (snapshot === undefined) return undefined;
  const begin = readingFrom(JSON.parse(JSON.stringify(snapshot)) as ReadingSnapshot);
  return threadReading.view(
    fold(
      begin,
      events.filter(({ seq }) => seq > snapshot.seq),
    ),
  );
}

describe('a reading that begins with a snapshot', () => {
  const events = logged([...turn(1), ...turn(2), ...turn(3)]);

  it('shows the turns after it, and counts what was used before', () => {
    const { nodes, hidden, usage, seq, isOutdated } = readFrom(events, 12) ?? expect.fail('no snapshot');
    expect(nodes.slice(hidden).map(({ text }) => text)).toEqual(['question 3', 'answer 3']);
    expect({ usage, seq, isOutdated }).toEqual({
      usage: { inputTokens: 6, outputTokens: 3 },
      seq: 15,
      isOutdated: false,
    });
  });

  it('is outdated when somebody edits, tries again or selects what is before it', () => {
    const later: AgentEvent[] = [
      { type: 'user', runId: 'u', content: 'else', parentMessageId: 'r1' },
      { type: 'harness_start', runId: 'r', agentId: 'a', parentId: 'u2:user' },
      { type: 'branch_selected', runId: 'control', nodeId: 'u1:user' },
      { type: 'tool_result', runId: 'r0', id: 'c', name: 'read', output: { context: 'late' } },
    ];
    for (const event of later)
      expect(readFrom(logged([...turn(1), ...turn(2), event]), 10)).toMatchObject({ isOutdated: true });
  });

  it('shows of any log what the whole shows, unless it is outdated', () => {
    let compared = 0;
    const streams = fc.oneof(eventStream(), conversationLog(60, 10));
    fc.assert(
      fc.property(streams, fc.nat(), (stream, place) => {
        const log = logged([...turn(1), ...turn(2), ...stream]);
        const reading = readFrom(log, place % (log.length + 1));
        if (reading === undefined || reading.isOutdated) return;
        const whole = threadReading.view(fold(threadReading.initial, log));
        const shown = reading.nodes.slice(reading.hidden);
        expect(plain(shown)).toBe(plain(whole.nodes.slice(whole.nodes.length - shown.length)));
        const { running, pending, usage, seq } = reading;
        expect({ running, pending, usage, seq }).toEqual({
          running: whole.running,
          pending: whole.pending,
          usage: whole.usage,
          seq: whole.seq,
        });
        if (shown.length > 0) compared++;
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(0);
  });
});
