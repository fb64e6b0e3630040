import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { readWindow } from '../../log/window.ts';
import { type Law, range, refuses, seqs } from './suite.ts';

/** A run in steps of four events each. */
const longRun = (runId: string, steps: number): AgentEvent[] => [
  { type: 'user', runId: `${runId}-asked`, content: 'go' },
  { type: 'harness_start', runId, agentId: 'agent', parentId: `${runId}-asked:user` },
  ...range(1, steps).flatMap((step): AgentEvent[] => [
    { type: 'step_start', runId, step },
    { type: 'text', runId, id: `${runId}/${step}`, content: `step ${step}` },
    { type: 'tool_call', runId, id: `${runId}/call-${step}`, name: 'read', input: {} },
    { type: 'tool_result', runId, id: `${runId}/call-${step}`, name: 'read', output: { context: 'fine' } },
  ]),
];

async function longThread(log: EventLog, id: string, steps: number): Promise<void> {
  await log.createThread({ id });
  const events = longRun(`run-${id}`, steps);
  for (let at = 0; at < events.length; at += 1_000) await log.append(id, events.slice(at, at + 1_000));
}

/** The log, and how many events were read from it. */
function counted(log: EventLog): { readonly log: EventLog; count: number } {
  const reads = { count: 0 };
  const counting = new Proxy(log, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return async (...input: unknown[]) => {
        const result: unknown = await Reflect.apply(value, target, input);
        if ((name === 'read' || name === 'readTexts') && Array.isArray(result)) reads.count += result.length;
        return result;
      };
    },
  });
  return Object.assign(reads, { log: counting });
}

/** Registers the tests of reading a window of a thread. */
export function windowLaws(law: Law): void {
  law('reads the end of a thread, and from there to its beginning without gap or duplicate', async ({ log }) => {
    await longThread(log, 'a', 700);
    let window = await readWindow(log, 'a', { limit: 300 });
    assert.equal(window.hasLater, false);
    assert.equal(window.lastSeq, 2_802);
    const read = seqs(window.events);
    while (window.hasEarlier) {
      assert.equal(window.snapshot?.seq, window.firstSeq - 1);
      window = await readWindow(log, 'a', { before: window.firstSeq, limit: 300 });
      assert.equal(window.hasLater, true);
      read.unshift(...seqs(window.events));
    }
    assert.deepEqual(read, range(1, 2_802));
    assert.equal(window.snapshot, undefined);
  });

  law('reads on after a seq, around a seq and around a message', async ({ log }) => {
    await longThread(log, 'a', 300);
    await log.append('a', longRun('last', 100));
    const later = await readWindow(log, 'a', { after: 600, limit: 50 });
    assert.deepEqual(seqs(later.events), range(601, 650));
    assert.equal(later.snapshot?.seq, 600);
    const around = await readWindow(log, 'a', { around: 600, limit: 100 });
    assert.ok(around.firstSeq <= 560 && around.lastSeq === 650, `${around.firstSeq} to ${around.lastSeq}`);
    const message = await readWindow(log, 'a', { message: 'last', limit: 100 });
    assert.ok(message.firstSeq <= 1_204 && message.lastSeq >= 1_204);
    await refuses('not_found', readWindow(log, 'a', { message: 'nobody' }));
    await refuses('thread_not_found', readWindow(log, 'nobody'));
    await refuses('invalid_argument', readWindow(log, 'a', { before: 5, after: 3 }));
    for (const request of [{ before: -1 }, { limit: 0 }, { limit: 5_001 }, { from: 1 }])
      await refuses('invalid_argument', readWindow(log, 'a', request));
  });

  law('reads empty windows at the ends of a thread', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const nothing = { events: [], firstSeq: 1, lastSeq: 0, hasEarlier: false, hasLater: false };
    assert.deepEqual(await readWindow(log, 'a'), nothing);
    await longThread(log, 'b', 3);
    assert.deepEqual(await readWindow(log, 'b', { before: 1 }), { ...nothing, hasLater: true });
    assert.equal((await readWindow(log, 'b', { after: 14 })).events.length, 0);
    assert.equal((await readWindow(log, 'b', { after: 99 })).lastSeq, 14);
  });

  law('reads windows of what a branch shares and of its own events', async ({ log }) => {
    await longThread(log, 'a', 400);
    await log.branch('a', 1_500, { id: 'b' });
    await log.append('b', longRun('own', 200));
    await log.deleteThread('a');
    const end = await readWindow(log, 'b', { limit: 100 });
    assert.deepEqual([end.lastSeq, end.hasEarlier], [2_302, true]);
    const shared = await readWindow(log, 'b', { before: 1_400, limit: 100 });
    assert.deepEqual(seqs(shared.events), range(shared.firstSeq, 1_399));
    assert.equal(
      (await readWindow(log, 'b', { message: 'own' })).events.find(({ runId }) => runId === 'own')?.seq,
      1_502,
    );
  });

  law('begins a window with what was open there', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const asked: AgentEvent = { type: 'relay', runId: 'r', id: 'ask', relayKind: 'question', question: 'Which?' };
    const words = range(1, 40).map(
      (number): AgentEvent => ({ type: 'text', runId: 's', id: 's/t', content: `${number} ` }),
    );
    await log.append('a', [
      { type: 'harness_start', runId: 'r', agentId: 'agent' },
      asked,
      { type: 'harness_start', runId: 's', agentId: 'agent' },
      ...words,
    ]);
    const { snapshot, events } = await readWindow(log, 'a', { limit: 10 });
    assert.equal(events[0]?.seq, 4, 'it begins with the text that is open');
    assert.ok(snapshot?.events.some(event => event.type === 'relay' && event.id === 'ask'));
  });

  law('reads as many events for a window of a long thread as for one of a short thread', async ({ log }) => {
    if (log.outlineAt === undefined) return;
    const counts: number[] = [];
    for (const [id, steps] of [
      ['short', 500],
      ['long', 2_500],
    ] as const) {
      await longThread(log, id, steps);
      for (const request of [{}, { before: steps * 2 }, { after: steps * 3 }, { message: `run-${id}` }]) {
        const reads = counted(log);
        await readWindow(reads.log, id, { ...request, limit: 200 });
        counts.push(reads.count);
      }
    }
    assert.ok(Math.max(...counts) < 3_000, `events read: ${counts.join(', ')}`);
  });
}
