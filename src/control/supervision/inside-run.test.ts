import { afterEach, describe, expect, it, vi } from 'vitest';
import { runMark, runVariable } from '../../agents/process/process-marks.ts';
import { MemoryLog, type Thread } from '../../log/index.ts';
import { checkOutsideRuns } from './inside-run.ts';

afterEach(() => vi.unstubAllEnvs());

const forbidden = { code: 'request_forbidden' };
async function setUp() {
  const log = new MemoryLog();
  await log.createThread({ id: 't' });
  await log.createThread({ id: 'f', metadata: { parentThreadId: 't' } });
  await log.createThread({ id: 'other' });
  for (const id of ['t', 'f', 'other']) {
    const lease = await log.acquireLease(`thread:${id}`, { owner: 'o', ttlMs: 60_000 });
    await log.append(id, [{ type: 'run_requested', runId: 'r', agentId: 'a', parentId: 'p' }], { lease });
  }
  return { log, thread: (await log.getThread('t')) as Thread };
}

describe('a person answers what a run asks', () => {
  it.each([
    ['its own processes', runMark('o', 't', 'r')],
    ['those of another run of its thread', runMark('o', 't', 'later')],
    ['those of a fork', runMark('o', 'f', 'r')],
    ['those of a run that one of its processes started', `${runMark('p', 'new', 'n')} ${runMark('o', 't', 'r')}`],
  ])('and not %s', async (_, marks) => {
    const { log, thread } = await setUp();
    vi.stubEnv(runVariable, marks);
    await expect(checkOutsideRuns(log, thread)).rejects.toMatchObject(forbidden);
  });

  it('from a shell of their own, or from a run that has nothing to do with it', async () => {
    const { log, thread } = await setUp();
    await checkOutsideRuns(log, thread);
    vi.stubEnv(runVariable, `${runMark('o', 'other', 'r')} ${runMark('p', 't', 'r')}`);
    await checkOutsideRuns(log, thread);
  });
});
