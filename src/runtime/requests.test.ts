import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../events/vocabulary.ts';
import { MemoryLog } from '../log/memory-log.ts';
import { pickRequest, readRequests } from './requests.ts';

const start = (runId: string, parentId?: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  agentId: 'a',
  ...(parentId !== undefined && { parentId }),
});
const end = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'a' });

describe('the requests of a thread', () => {
  it('are the runs that no other run started', async () => {
    const log = new MemoryLog();
    const thread = await log.createThread();
    const { id } = thread;
    await log.append(id, [
      { type: 'user', runId: 'u', content: 'go' },
      start('one', 'u:user'),
      start('child', 'one/call'),
      start('grandchild', 'child/x/y'),
      end('grandchild'),
      end('child'),
      end('one'),
      start('two', 'u:user'),
      start('beside'),
    ]);
    expect(await readRequests(log, thread)).toEqual([
      { runId: 'one', startSeq: 2, endSeq: 7 },
      { runId: 'two', startSeq: 8 },
      { runId: 'beside', startSeq: 9 },
    ]);
  });

  it('are picked by name, by where a reader was, or the newest', () => {
    const requests = [
      { runId: 'one', startSeq: 2, endSeq: 7 },
      { runId: 'two', startSeq: 8 },
    ];
    const pick = (after: number, runId?: string) => pickRequest(requests, { after, runId })?.runId;
    expect([pick(0), pick(1), pick(5), pick(7), pick(8), pick(0, 'one')]).toEqual([
      'two',
      'one',
      'one',
      'one',
      'two',
      'one',
    ]);
    expect(pickRequest([], { after: 0 })).toBeUndefined();
    expect(() => pick(0, 'three')).toThrow(expect.objectContaining({ code: 'run_not_found' }));
  });
});
