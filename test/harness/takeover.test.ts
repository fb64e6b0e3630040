import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { hostname } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { listOpenRuns } from '../../src/control/supervision/open-runs.ts';
import { defined } from '../../src/base/defined.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, echo, isDetached, scene } from './scene.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true }));
afterEach(() => void vi.useRealTimers());

/** The time after which a harness checks a run of another one again. */
const checkMs = 15_000;

/** A harness in which a run waits for an approval, and another one on the same storage. */
async function two() {
  let now = 0;
  const storage = new MemoryLog({ now: () => now });
  const script = scriptByStep([[calls('echo', { value: 'a' })], 'Done.']);
  const another = () => scene(script, { storage, tools: { echo } });
  const [first, second] = [another(), another()];
  const sending = first.harness.sendMessage({ content: 'Go.' });
  await first.on('tool_approval_required');
  const leave = () => first.harness.destroy().then(() => isDetached(sending));
  const pass = async (ms: number) => {
    now += ms;
    await vi.advanceTimersByTimeAsync(ms);
  };
  /** The lease of the first harness expires while its process is late. */
  const expire = () => void (now += 100_000);
  return { storage, first, second, sending, leave, pass, expire };
}

describe('a run of another process', () => {
  it('is resumed here when its process is gone, without any call', async () => {
    const { storage, second, leave, pass } = await two();
    const acquire = vi.spyOn(storage, 'acquireLease');
    const attempt = () => acquire.mock.settledResults.at(-1)?.type;
    await second.harness.selectOrCreateThread();
    await pass(checkMs);
    await expect.poll(attempt).toBe('rejected');
    await leave();
    await pass(checkMs);
    await expect.poll(attempt).toBe('fulfilled');
    second.harness.respondToToolApproval({ decision: 'approve' });
    await second.on('agent_end');
    expect(second.model.requests).toHaveLength(1);
    await expect.poll(() => second.harness.getDisplayState().isRunning).toBe(false);
  });

  it('is resumed here within a second after its process ended on this machine', async () => {
    const { storage, second, leave, pass } = await two();
    await leave();
    const owner = spawn('sleep', ['1000']);
    const [thread] = await storage.listThreads();
    const lease = await storage.acquireLease(`thread:${thread?.id}`, {
      owner: `${hostname()}/${owner.pid}/x`,
      ttlMs: 1_000_000,
    });
    const [run] = listOpenRuns(thread ?? {});
    await storage.append(thread?.id ?? '', [], { lease, ...defined({ resumes: run?.runId }) });
    await second.harness.selectOrCreateThread();
    await pass(5_000);
    expect(second.harness.getCurrentRunId()).toBe(null);
    owner.kill('SIGKILL');
    await once(owner, 'exit');
    await pass(1_000);
    await expect.poll(() => second.harness.getCurrentRunId()).toBe(run?.runId);
    second.harness.respondToToolApproval({ decision: 'approve' });
    await second.on('agent_end');
    await second.harness.destroy();
  });

  it('is resumed with the answer that was given while its process held the thread', async () => {
    const { storage, second, leave, pass } = await two();
    await leave();
    const [thread] = await storage.listThreads();
    await storage.acquireLease(`thread:${thread?.id}`, { owner: 'elsewhere/1/x', ttlMs: 20_000 });
    await second.harness.selectOrCreateThread();
    second.harness.respondToToolApproval({ decision: 'approve' });
    await pass(checkMs);
    expect(second.harness.getDisplayState().isRunning).toBe(true);
    await pass(checkMs);
    await second.on('agent_end');
    await expect.poll(() => second.harness.getDisplayState().isRunning).toBe(false);
  });

  it('that was late is taken over here, and its message is rejected there', async () => {
    const { first, second, sending, expire } = await two();
    expire();
    await second.harness.selectOrCreateThread();
    second.harness.respondToToolApproval({ decision: 'approve' });
    await isDetached(sending);
    await second.on('agent_end');
    expect([first, second].map(({ model }) => model.requests.length)).toEqual([1, 1]);
    await first.harness.destroy();
    await second.harness.destroy();
  });

  it('is not checked after the harness is destroyed', async () => {
    const { storage, second, leave, pass } = await two();
    await second.harness.selectOrCreateThread();
    await second.harness.destroy();
    await leave();
    const acquire = vi.spyOn(storage, 'acquireLease');
    await pass(2 * checkMs);
    expect(acquire).not.toHaveBeenCalled();
  });
});
