import assert from 'node:assert/strict';
import type { AgentEvent } from '../../events/vocabulary.ts';
import type { EventLog } from '../../log/event-log.ts';
import { openAfter, type OpenThing, openChanges } from '../../log/open-things.ts';
import { type Law, refuses, textEvent } from './suite.ts';

const request = { agentId: 'agent', parentId: 'u:user' };
const requested = (runId: string): AgentEvent => ({ type: 'run_requested', runId, ...request });
const ended = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'agent' });
const asked = (id: string, runId: string): AgentEvent => ({
  type: 'relay',
  runId,
  id,
  relayKind: 'question',
  question: '?',
});
const answered = (relayId: string): AgentEvent => ({ type: 'relay_resolved', runId: 'r', relayId, outcome: 'answer' });
const queued = (id: string, waitsFor?: string): AgentEvent => ({
  type: 'message_queued',
  runId: `q ${id}`,
  id,
  content: '',
  delivery: 'follow_up',
  agent: 'agent',
  order: 0,
  ...(waitsFor !== undefined && { waitsFor }),
});
const said = (id: string): AgentEvent => ({ type: 'user', runId: `u ${id}`, id, content: '' });

const ids = (threads: readonly { readonly id: string }[]) => threads.map(({ id }) => id);
const open = async (log: EventLog, threadId: string) => (await log.getThread(threadId))?.open ?? [];

/** Registers the tests of the index of open runs and requests. */
export function openLaws(law: Law): void {
  law('has a run from its request to its end, with the owner of the lease', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', [textEvent('1'), requested('r')]);
    assert.deepEqual(await open(log, 'a'), [{ kind: 'run', id: 'r', runId: 'r', seq: 2, request }]);
    const lease = await log.acquireLease('thread:a', { owner: 'ann', ttlMs: 1_000 });
    await log.append('a', [requested('s'), asked('q', 's')], { lease });
    const own = { kind: 'run' as const, id: 's', runId: 's', seq: 3, request, owner: 'ann' };
    const relay = { kind: 'relay' as const, id: 'q', runId: 's', seq: 4 };
    assert.deepEqual((await open(log, 'a')).slice(1), [own, relay]);
    await log.append('a', [], { lease, resumes: 'r' });
    assert.equal((await open(log, 'a'))[0]?.owner, 'ann');
    const later = await log.acquireLease('thread:a', { owner: 'bob', ttlMs: 1_000, isGone: () => true });
    await refuses('lease_lost', log.append('a', [], { lease, resumes: 'r' }));
    await log.append('a', [ended('r')], { lease: later, resumes: 's' });
    assert.deepEqual(await open(log, 'a'), [{ ...own, owner: 'bob' }, relay]);
    await log.append('a', [ended('s')]);
    assert.equal((await log.getThread('a'))?.open, undefined);
    await refuses('invalid_argument', log.append('a', [], { resumes: 'r' }));
  });

  law('has a relay until its answer, and a message until it is said or withdrawn', async ({ log }) => {
    await log.createThread({ id: 'a' });
    await log.append('a', [asked('q', 'r'), queued('m', 'r'), queued('n')]);
    assert.deepEqual(await open(log, 'a'), [
      { kind: 'relay', id: 'q', runId: 'r', seq: 1 },
      { kind: 'message', id: 'm', runId: 'r', seq: 2 },
      { kind: 'message', id: 'n', seq: 3 },
    ]);
    await log.append('a', [answered('q'), ended('r'), said('m')]);
    assert.deepEqual(await open(log, 'a'), [{ kind: 'message', id: 'n', seq: 3 }]);
    await log.append('a', [{ type: 'message_withdrawn', runId: 'w', id: 'n' }]);
    assert.deepEqual(await open(log, 'a'), []);
  });

  law('lists only threads in which something of a kind is open when asked to, page by page', async ({ log, clock }) => {
    for (const id of ['a', 'b', 'c', 'd']) {
      await log.createThread({ id, resourceId: id === 'c' ? 'other' : 'default', title: 'run relay message' });
      clock.advance(20);
      await log.append(id, id === 'b' ? [asked('q', 'r'), queued('m')] : [requested('r')]);
      clock.advance(20);
    }
    assert.deepEqual(ids(await log.listThreads({ open: 'run' })), ['d', 'c', 'a']);
    assert.deepEqual(ids(await log.listThreads({ open: 'run', resourceId: 'other' })), ['c']);
    assert.deepEqual(ids(await log.listThreads({ open: 'relay' })), ['b']);
    assert.deepEqual(ids(await log.listThreads({ open: 'message' })), ['b']);
    const [first] = await log.listThreads({ open: 'run', limit: 1 });
    assert.ok(first);
    assert.deepEqual(first.open, [{ kind: 'run', id: 'r', runId: 'r', seq: 1, request }]);
    assert.deepEqual(ids(await log.listThreads({ open: 'run', after: first })), ['c', 'a']);
    await log.append('d', [ended('r')]);
    await refuses('invalid_argument', log.listThreads({ open: 'runs' as 'run' }));
    await log.deleteThread('c');
    assert.deepEqual(ids(await log.listThreads({ open: 'run' })), ['a']);
  });

  law('opens nothing for imported events, and nothing in a branch', async ({ log }) => {
    const { id } = await log.createThread({ imported: true });
    await log.append(id, [requested('r'), asked('q', 'r'), queued('m')], { imported: true });
    assert.deepEqual(await open(log, id), []);
    await log.append(id, [requested('own'), queued('n')]);
    const branch = await log.branch(id, 5);
    assert.equal(branch.open, undefined);
    assert.deepEqual(ids(await log.listThreads({ open: 'message' })), [id]);
    await log.append(branch.id, [said('n'), queued('o')]);
    assert.deepEqual(await open(log, branch.id), [{ kind: 'message', id: 'o', seq: 7 }]);
    assert.equal((await open(log, id)).length, 2);
  });

  law('holds ids faithfully, whatever they are', async ({ log }) => {
    await log.createThread({ id: 'a' });
    const hostile = ['\u0000', '\ud800', '\ufffd', "'", '"', '\n', '\\', 'x'.repeat(5_000)];
    for (const id of hostile) {
      await log.append('a', [asked(id, id), { ...requested(id), model: id } as AgentEvent]);
      assert.deepEqual(
        (await open(log, 'a')).map(thing => [thing.id, thing.runId, thing.request?.model]),
        [
          [id, id, undefined],
          [id, id, id],
        ],
      );
      await log.append('a', [ended(id)]);
      assert.deepEqual(await open(log, 'a'), []);
    }
  });

  law('is what the events say, whatever they are and however they are appended', async ({ log }) => {
    const names = ['x', 'y'];
    const makers = [
      requested,
      ended,
      (name: string) => asked(name, 'x'),
      answered,
      (name: string) => queued(name, 'y'),
      said,
      (name: string): AgentEvent => ({ type: 'message_withdrawn', runId: 'w', id: name }),
    ];
    // A fixed sequence of numbers: every run of the suite appends the same events.
    let state = 7;
    const next = (below: number) => (state = (state * 48_271) % 2_147_483_647) % below;
    await log.createThread({ id: 'a' });
    let threadId = 'a';
    for (let round = 0; round < 60; round++) {
      const batch = Array.from({ length: 1 + next(4) }, () =>
        (makers[next(makers.length)] as (typeof makers)[number])(names[next(names.length)] ?? ''),
      );
      await log.append(threadId, batch);
      const { branchedFrom, seq, open: index = [] } = (await log.getThread(threadId)) ?? { seq: 0 };
      const own = await log.read(threadId, { after: branchedFrom?.seq ?? 0 });
      const rebuilt = own.reduce<readonly OpenThing[]>((things, event) => {
        const changes = openChanges([event]);
        return changes === undefined ? things : openAfter(things, changes);
      }, []);
      assert.deepEqual(index, rebuilt);
      if (round % 20 === 19) threadId = (await log.branch(threadId, seq)).id;
    }
  });
}
