import { describe, expect, it } from 'vitest';
import { logConformance } from '../testing/log-conformance.ts';
import { MemoryLog } from './memory-log.ts';

describe('MemoryLog', () => {
  logConformance({ describe, it }, { open: async options => new MemoryLog(options), leasesByUptime: true });

  it('finds the same whether it is asked after each append or only at the end, however many events there are', async () => {
    const events = 24_000;
    const filled = async (isAsked: boolean) => {
      const log = new MemoryLog({ now: () => 0 });
      for (const id of ['a', 'b']) await log.createThread({ id });
      for (let from = 0; from < events; from += 60) {
        const id = from % 180 === 0 ? 'a' : 'b';
        const batch = Array.from({ length: 60 }, (_, at) => eventAt(id, from + at));
        await log.append(id, batch);
        if (isAsked) await log.usage();
      }
      await log.branch('b', 10_000, { id: 'c' });
      return log;
    };
    const views = async (log: MemoryLog) => [
      await log.usage({ by: ['day'] }),
      await log.search({ text: 'word', limit: 50 }),
      await Promise.all(['a', 'b', 'c'].map(id => log.outlineAt(id, 9_999))),
      await Promise.all(['a', 'b', 'c'].map(id => log.seqOfMessage(id, 'r-b-3660'))),
    ];
    const [late, early] = [await views(await filled(false)), await views(await filled(true))];
    expect(late).toEqual(early);
    expect(late[1]).toMatchObject({
      hits: expect.arrayContaining([expect.objectContaining({ threadId: 'a', seq: 7989 })]),
    });
  });
});

/** Runs of 60 events: a start, texts, a usage and an end. */
function eventAt(id: string, number: number) {
  const runId = `r-${id}-${number - (number % 60)}`;
  if (number % 60 === 0) return { type: 'harness_start' as const, runId, agentId: 'x' };
  if (number % 60 === 58) return { type: 'usage' as const, runId, inputTokens: 3, outputTokens: 1 };
  if (number % 60 === 59) return { type: 'harness_end' as const, runId, agentId: 'x', reason: 'complete' as const };
  return { type: 'text' as const, runId, id: `t${number % 7}`, content: ` word ${number}` };
}
