import assert from 'node:assert/strict';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { EventLog, Lease } from '../../log/event-log.ts';
import { readEvents } from '../../log/read-events.ts';
import { AppendHistory } from './append-history.ts';
import {
  contents,
  type Context,
  createClock,
  drain,
  type LogUnderTest,
  range,
  refuses,
  seqs,
  take,
  type TestRunner,
  textEvent,
} from './suite.ts';
const writers = 4;
const rounds = 12;

/** Registers the tests of concurrent use of one store; without `join`, all writers share one log. */
export function concurrencyLaws(runner: TestRunner, underTest: LogUnderTest): void {
  const law = (behaviour: string, body: (context: Context & { logs: readonly EventLog[] }) => Promise<void>) =>
    runner.it(behaviour, async () => {
      const clock = createClock();
      const clocks = { now: clock.now, uptime: clock.uptime };
      const log = await underTest.open(clocks);
      const logs: EventLog[] = [log];
      try {
        while (logs.length < writers) logs.push((await underTest.join?.(log, clocks)) ?? log);
        await body({ log, logs, clock });
      } finally {
        await Promise.all([...new Set(logs)].map(each => each.close()));
      }
    });

  law('appends to a thread as if one after the other', async ({ log, logs }) => {
    const { id } = await log.createThread();
    const history = new AppendHistory(id);
    await Promise.all(
      logs.map(async (own, writer) => {
        for (let round = 0; round < rounds; round++) {
          const random = dice(writer * rounds + round);
          const known = random(3) === 0 ? await history.read(own) : undefined;
          await history.append(own, 1 + random(3), known === undefined ? {} : { expectedSeq: known });
        }
      }),
    );
    history.check(await all(log, id));
  });

  law('appends to many threads at once without mixing them', async ({ log, logs }) => {
    const histories = await Promise.all(
      range(1, 6).map(async () => {
        const { id } = await log.createThread();
        return { id, history: new AppendHistory(id) };
      }),
    );
    await Promise.all(
      logs.flatMap((own, writer) =>
        histories.map(async ({ history }, index) => {
          for (let round = 0; round < 4; round++) await history.append(own, 1 + dice(writer + index + round)(3));
        }),
      ),
    );
    for (const { id, history } of histories) history.check(await all(log, id));
  });

  law('lets one process win for a once key and for an expected seq', async ({ log, logs }) => {
    const { id } = await log.createThread();
    for (let round = 0; round < 5; round++) {
      const { seq = 0 } = (await log.getThread(id)) ?? {};
      const results = await Promise.allSettled(
        logs.flatMap((own, writer) => [
          own.append(id, [textEvent(`${writer} once`)], { once: `key ${round}` }),
          own.append(id, [textEvent(`${writer} expected`)], { expectedSeq: seq + 1 }),
        ]),
      );
      const won = results.map(({ status }) => status === 'fulfilled');
      assert.equal(won.filter((each, index) => each && index % 2 === 0).length, 1);
      assert.ok(won.filter((each, index) => each && index % 2 === 1).length <= 1);
    }
  });

  law('shows all tails, in every process, the log that is stored', async ({ log, logs }) => {
    const { id } = await log.createThread();
    const count = writers * rounds;
    const tails = logs.map((own, index) => take(count, own.tail(id, 0, index === 0 ? {} : { types: ['text'] })));
    await Promise.all(
      logs.map(async (own, writer) => {
        for (let round = 0; round < rounds; round++) await own.append(id, [textEvent(`${writer}.${round}`)]);
      }),
    );
    const stored = await all(log, id);
    assert.deepEqual(seqs(stored), range(1, count));
    for (const tail of await Promise.all(tails)) assert.deepEqual(contents(tail), contents(stored));
  });

  law('ends a tail of another process when the thread is deleted', async ({ log, logs }) => {
    const { id } = await log.createThread();
    const ended = refuses('thread_not_found', drain((logs.at(-1) as EventLog).tail(id)));
    await log.append(id, [textEvent('only')]);
    await log.deleteThread(id);
    await ended;
  });

  law('stores nothing of a holder after another one has taken its lease', async ({ log, logs, clock }) => {
    const { id } = await log.createThread();
    const appendUntilLost = async (own: EventLog, lease: Lease) => {
      for (let round = 0; round < 50; round++)
        try {
          await own.append(id, [textEvent(String(lease.token))], { lease });
        } catch (error) {
          if (!SingletreeError.is(error, 'lease_lost')) throw error;
          return;
        }
    };
    const holders: Promise<void>[] = [];
    for (const [writer, own] of logs.entries()) {
      const lease = await own.acquireLease('writer', { owner: `${writer}`, ttlMs: 1000, isGone: () => true });
      const first = own.append(id, [textEvent(String(lease.token))], { lease });
      holders.push(appendUntilLost(own, lease));
      await first;
      clock.advance(1);
    }
    await Promise.all(holders);
    const tokens = contents(await all(log, id)).map(Number);
    assert.deepEqual(
      tokens,
      tokens.toSorted((a, b) => a - b),
    );
    assert.equal(new Set(tokens).size, writers);
  });

  law('gives an expired lease to exactly one process', async ({ log, logs, clock }) => {
    let holder: Lease = await log.acquireLease('n', { owner: 'first', ttlMs: 1000 });
    for (let round = 0; round < 3; round++) {
      clock.advance(999);
      for (const own of logs) await refuses('lease_held', own.acquireLease('n', { owner: 'early', ttlMs: 1000 }));
      clock.advance(1);
      const results = await Promise.allSettled(
        logs.map((own, writer) => own.acquireLease('n', { owner: `${round}.${writer}`, ttlMs: 1000 })),
      );
      const taken = results.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
      assert.equal(taken.length, 1);
      for (const own of logs) await refuses('lease_lost', own.renewLease(holder, 1000));
      holder = taken[0] as Lease;
    }
  });
}

function all(log: EventLog, threadId: string) {
  return drain(readEvents(log, threadId));
}

/** Whole numbers below a limit that look random and are the same in every run. */
function dice(seed: number): (below: number) => number {
  let state = (seed + 1) * 2_654_435_761;
  return below => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state % below;
  };
}
