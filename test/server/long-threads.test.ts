import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { exportedLines } from '../../src/server/thread-export.ts';
import { createRedactor } from '../../src/agents/redaction/redactor.ts';
import { listRunIds } from '../../src/server/run-standings.ts';
import type { Thread } from '../../src/log/index.ts';
import { MemoryLog } from '../../src/log/memory-log.ts';
import { readEvents } from '../../src/log/read-events.ts';

const count = 5_000;

async function longThread() {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  const events = Array.from(
    { length: count },
    (_, at): AgentEvent => ({ type: 'custom', runId: 'r', name: 'n', data: at }),
  );
  await log.append(id, events);
  return { log, id };
}

/** How often others had their turn while something was read. */
async function turnsDuring(read: () => Promise<void>): Promise<number> {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  await read();
  isOver = true;
  return turns;
}

describe('a long thread that is read whole', () => {
  it.each([
    [
      'as events',
      async (log: MemoryLog, id: string): Promise<void> => {
        for await (const _ of readEvents(log, id));
      },
    ],
    [
      'by a tail',
      async (log: MemoryLog, id: string): Promise<void> => {
        for await (const { seq } of log.tail(id)) if (seq === count) return;
      },
    ],
    [
      'for an export',
      async (log: MemoryLog, id: string): Promise<void> => {
        for await (const _ of exportedLines(log, createRedactor([]), id));
      },
    ],
    [
      'for its runs',
      async (log: MemoryLog, id: string): Promise<void> =>
        void (await listRunIds(log, (await log.getThread(id)) as Thread)),
    ],
  ] as const)('lets others have their turn after each page, %s', async (_, read) => {
    const { log, id } = await longThread();
    expect(await turnsDuring(() => read(log, id))).toBeGreaterThanOrEqual(4);
  });
});
