import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../../../test/support/random-conversations.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { MemoryLog } from '../../../log/memory-log.ts';
import { messagesAtEnd, messagesOfThread } from './thread-messages.ts';

async function threadWith(events: readonly AgentEvent[]) {
  const log = new MemoryLog();
  const { id } = await log.createThread();
  await log.append(id, events);
  return { log, id };
}

describe('the last messages of a thread', () => {
  it('are those that reading it whole ends with, wherever the reading begins', async () => {
    let found = 0;
    await fc.assert(
      fc.asyncProperty(
        conversationLog(120),
        fc.integer({ min: 1, max: 6 }),
        fc.integer({ min: 1, max: 60 }),
        async (logged, limit, events) => {
          const { log, id } = await threadWith(logged.map(event => ({ ...event, seq: undefined })));
          const whole = await messagesOfThread(log, id);
          const last = await messagesAtEnd(log, id, { limit, events });
          if (last !== undefined) expect(last).toEqual(whole.slice(-limit));
          if (last !== undefined) found++;
          expect(await messagesOfThread(log, id, limit)).toEqual(whole.slice(-limit));
        },
      ),
      { numRuns: 100 },
    );
    expect(found).toBeGreaterThan(20);
  });

  it('are read without reading the thread whole', async () => {
    const turn = (at: number): AgentEvent[] => [
      { type: 'user', runId: `u${at}`, content: `Question ${at}` },
      { type: 'harness_start', runId: `r${at}`, agentId: 'a', parentId: `u${at}:user` },
      { type: 'text', runId: `r${at}`, id: `t${at}`, content: `Answer ${at}` },
      { type: 'harness_end', runId: `r${at}`, agentId: 'a', reason: 'complete' },
    ];
    const { log, id } = await threadWith(Array.from({ length: 5_000 }, (_, at) => turn(at)).flat());
    await messagesOfThread(log, id, 1);
    let read = 0;
    const counting = new Proxy(log, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown;
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          const result = (await Reflect.apply(value, target, args)) as unknown;
          if (Array.isArray(result)) read += result.length;
          return result;
        };
      },
    });
    const messages = await messagesOfThread(counting, id, 2);
    expect(messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'Question 4999' }],
      [{ type: 'text', text: 'Answer 4999' }],
    ]);
    expect(read).toBeLessThan(2_000);
  });
});
