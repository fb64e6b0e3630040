import { afterAll, describe, expect, it } from 'vitest';
import { FaultProxy } from '../../../test/support/fault-proxy.ts';
import { testDatabase } from '../../../test/support/services.ts';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { AppendHistory } from '../../testing/log-conformance/append-history.ts';
import type { EventLog } from '../event-log.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();
const rounds = 25;

describe.skipIf(database === undefined)('a PostgreSQL log over a bad wire', () => {
  const url = database?.url ?? '';
  afterAll(() => database?.drop());

  const faults: [string, (wire: FaultProxy, round: number) => void][] = [
    ['is cut', wire => wire.cut()],
    ['breaks in the middle of a statement', (wire, round) => wire.cutAfter('request', 1 + round * 7)],
    ['breaks before an answer', wire => wire.cutAfter('response', 0)],
    ['breaks in the middle of an answer', (wire, round) => wire.cutAfter('response', 1 + round * 3)],
    ['is slow', wire => void (wire.delayMs = 5)],
    ['holds everything back for a while', wire => void setTimeout(wire.stall(), 20)],
  ];

  it.each(faults)('appends each batch once and shows it to every reader when the wire %s', async (_, fault) => {
    const wire = await FaultProxy.open(() => url);
    const schema = `wire_${faults.findIndex(([, each]) => each === fault)}`;
    const logs: EventLog[] = [];
    try {
      const direct = await PostgresLog.open(url, { schema, connections: 2 });
      logs.push(direct);
      while (logs.length < 3)
        logs.push(await PostgresLog.open(wire.through(url), { schema, connections: 2, pollMs: 200 }));
      const [, a, b] = logs as [EventLog, EventLog, EventLog];
      const { id } = await direct.createThread();
      const history = new AppendHistory(id);
      const seen = read(b, id, 'done');
      await Promise.all(
        [a, b].map(async (log, writer) => {
          for (let round = 0; round < rounds; round++) {
            if (writer === 0 || round % 3 === 0) fault(wire, round);
            await history.append(log, 1 + (round % 3), round % 4 === 0 ? { once: `${writer} ${round}` } : {});
          }
        }),
      );
      await direct.append(id, [{ type: 'user', runId: 'r', content: 'done' }]);
      const stored = await direct.read(id);
      history.check(stored.slice(0, -1));
      expect(stored).toHaveLength(2 * [...Array(rounds).keys()].reduce((sum, round) => sum + 1 + (round % 3), 0) + 1);
      expect(await seen).toEqual(stored);
    } finally {
      wire.delayMs = 0;
      await Promise.all(logs.map(log => log.close()));
      await wire.close();
    }
  });
});

async function read(log: EventLog, threadId: string, last: string): Promise<LoggedEvent[]> {
  const events: LoggedEvent[] = [];
  for await (const event of log.tail(threadId)) {
    events.push(event);
    if (event.type === 'user' && event.content === last) break;
  }
  return events;
}
