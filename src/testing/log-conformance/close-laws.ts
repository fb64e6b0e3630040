import assert from 'node:assert/strict';
import type { EventLog } from '../../log/event-log.ts';
import {
  createClock,
  drain,
  type Law,
  type LogUnderTest,
  refuses,
  seqs,
  type TestRunner,
  textEvents,
} from './suite.ts';

/** Registers the tests of `close`. */
export function closeLaws(law: Law): void {
  law('may be closed twice, and then refuses every call', async ({ log }) => {
    const { id } = await log.createThread();
    const lease = await log.acquireLease('n', { owner: 'a', ttlMs: 1000 });
    await log.close();
    await log.close();
    const calls: (() => Promise<unknown>)[] = [
      () => log.append(id, textEvents(1)),
      () => log.read(id),
      () => drain(log.tail(id)),
      () => log.createThread(),
      () => log.getThread(id),
      () => log.updateThread(id, {}),
      () => log.listThreads(),
      () => log.deleteThread(id),
      () => log.branch(id, 0),
      () => log.acquireLease('n', { owner: 'a', ttlMs: 1000 }),
      () => log.renewLease(lease, 1000),
      () => log.releaseLease(lease),
      () => log.appendRaw(id, 'run', []),
      () => log.readRaw(id, 'run'),
    ];
    for (const call of calls) await refuses('log_closed', call());
  });
}

/** A log that outlives `close` comes back as it was. */
export function reopenLaws({ it }: TestRunner, { open, reopen }: LogUnderTest): void {
  if (reopen === undefined) return;
  it('comes back from closing as it was', async () => {
    const clock = createClock();
    let log = await open({ now: clock.now, uptime: clock.uptime });
    await log.createThread({ id: 'a', resourceId: 'r', title: 't', metadata: { m: [1] } });
    await log.append('a', textEvents(5), { once: 'key' });
    await log.branch('a', 3, { id: 'b' });
    await log.append('b', textEvents(2));
    await log.branch('b', 4, { id: 'c' });
    await log.deleteThread('b');
    const line = Uint8Array.of(0, 255);
    await log.appendRaw('a', 'run', [{ n: 1, ts: '2025-01-01T00:00:00.000Z', stream: 'stderr', line }]);
    const lease = await log.acquireLease('n', { owner: 'o', ttlMs: 1000 });
    const before = await readContent(log);

    log = await reopen(log, { now: clock.now, uptime: clock.uptime });
    assert.deepEqual(await readContent(log), before);
    await refuses('once_conflict', log.append('a', textEvents(1), { once: 'key' }));
    await refuses('lease_held', log.acquireLease('n', { owner: 'other', ttlMs: 1000 }));
    await log.append('c', textEvents(1), { lease });
    assert.deepEqual(seqs(await log.read('c')), [1, 2, 3, 4, 5]);
    await log.close();
  });
}

async function readContent(log: EventLog): Promise<unknown> {
  const threads = await log.listThreads();
  const events = await Promise.all(threads.map(thread => log.read(thread.id)));
  return { threads, events, raw: await log.readRaw('a', 'run') };
}
