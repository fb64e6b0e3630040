import { afterEach, describe, expect, it, vi } from 'vitest';
import { runMark, runVariable } from '../../agents/process/process-marks.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import type { Thread } from '../../log/event-log.ts';
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

describe('a program that names its session', () => {
  const session = (runId: string, sessionId: string) => ({ type: 'session' as const, runId, sessionId });

  it.each([
    ['session', session('r', 's')],
    ['call', { type: 'tool_call' as const, runId: 'r', id: 'r/s', name: 'send', input: {} }],
  ])('is inside its run, also when it calls before its %s is read', async (_, report) => {
    const { log, thread } = await setUp();
    await log.append('t', [{ type: 'harness_start', runId: 'r', agentId: 'codex' }, session('r', 'own')]);
    const waiting = vi.spyOn(log, 'tail');
    const checked = checkOutsideRuns(log, thread, { ids: ['s'] });
    await vi.waitFor(() => expect(waiting).toHaveBeenCalled(), 10_000);
    await log.append('t', [report]);
    await expect(checked).rejects.toMatchObject(forbidden);
    await expect(checkOutsideRuns(log, thread, { ids: ['s'] })).rejects.toMatchObject(forbidden);
  });

  it('is inside the run of an agent that a user defined', async () => {
    const { log, thread } = await setUp();
    await log.append('t', [{ type: 'harness_start', runId: 'r', agentId: 'mine' }]);
    const waiting = vi.spyOn(log, 'tail');
    const checked = checkOutsideRuns(log, thread, { ids: ['s'] });
    await vi.waitFor(() => expect(waiting).toHaveBeenCalled(), 10_000);
    await log.append('t', [session('r', 's')]);
    await expect(checked).rejects.toMatchObject(forbidden);
  });

  it('is outside of a run that asks its model itself, and does not wait for it', async () => {
    const { log, thread } = await setUp();
    const context = { type: 'model_context' as const, runId: 'r', id: 'c', provider: 'p', tools: [], settings: {} };
    await log.append('t', [{ type: 'harness_start', runId: 'r', agentId: 'coder' }, context]);
    const waiting = vi.spyOn(log, 'tail');
    await checkOutsideRuns(log, thread, { ids: ['s'] });
    expect(waiting).not.toHaveBeenCalled();
  });

  it('is outside of runs that report others, or end', async () => {
    const { log, thread } = await setUp();
    for (const id of ['t', 'other']) await log.append(id, [{ type: 'harness_start', runId: 'r', agentId: 'codex' }]);
    const checked = checkOutsideRuns(log, thread, { ids: ['s'] });
    await log.append('t', [session('r', 'of another')]);
    await log.append('other', [{ type: 'harness_end', runId: 'r', agentId: 'codex', reason: 'error' }]);
    await checked;
  });
});
