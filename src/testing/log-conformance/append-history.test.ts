import { describe, expect, it } from 'vitest';
import type { LoggedEvent } from '../../events/vocabulary.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { AppendHistory } from './append-history.ts';

async function recorded() {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const history = new AppendHistory(id);
  await history.append(log, 2);
  await history.append(log, 1, { expectedSeq: 2 });
  await history.append(log, 1, { expectedSeq: 2 });
  await history.read(log);
  return { history, stored: await log.read(id), id };
}

describe('a history of appends', () => {
  it('accepts what a log stored', async () => {
    const { history, stored } = await recorded();
    expect(stored).toHaveLength(3);
    expect(() => history.check(stored)).not.toThrow();
  });

  it.each<[string, (stored: LoggedEvent[]) => LoggedEvent[]]>([
    ['an acknowledged event that is missing', stored => stored.slice(0, -1)],
    ['an event that is stored twice', stored => [...stored, { ...(stored[2] as LoggedEvent), seq: 4 }]],
    ['a gap', stored => stored.map(event => ({ ...event, seq: event.seq > 2 ? 4 : event.seq }))],
    ['another order', ([a, b, c]) => [a, c, b].map((event, index) => ({ ...(event as LoggedEvent), seq: index + 1 }))],
  ])('reports %s', async (_, change) => {
    const { history, stored } = await recorded();
    expect(() => history.check(change(stored))).toThrow();
  });

  it('reports a read that misses an append which had ended', async () => {
    const { history, stored, id } = await recorded();
    const stale = new MemoryLog();
    await stale.createThread({ id });
    await history.read(stale);
    expect(() => history.check(stored)).toThrow(/the seq 0 was the newest/);
  });

  it('reports an append that was placed before one that had ended', async () => {
    const { history, stored, id } = await recorded();
    const other = new MemoryLog();
    await other.createThread({ id });
    await history.append(other, 1);
    const [late] = await other.read(id);
    expect(() => history.check([late as LoggedEvent, ...stored])).toThrow();
  });
});
