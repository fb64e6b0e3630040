import { describe, expect, it, vi } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Supervisor } from '../../src/control/index.ts';
import { type EventLog, MemoryLog } from '../../src/log/index.ts';
import { calls, echo, scene } from './scene.ts';

const script = scriptByStep([[calls('echo', { value: 'a' })], 'Done.']);

/** A thread whose run waits for an approval, and whose process is gone. */
async function orphaned(log: EventLog): Promise<string> {
  const { id } = await log.createThread({ resourceId: 'harness' });
  const first = scene(script, { storage: log, tools: { echo } });
  await first.harness.switchThread({ threadId: id });
  void first.harness.sendMessage({ content: 'Go.' }).catch(() => {});
  await first.on('tool_approval_required');
  await first.harness.destroy();
  return id;
}

describe('a harness that opens a thread whose run has no process', () => {
  it.each(['switchThread', 'selectOrCreateThread'] as const)(
    'ends when it is destroyed at any moment of %s, and starts nothing after it',
    async how => {
      for (const ticks of [0, 3, 8, 13, 21, 34, 55]) {
        const log = new MemoryLog();
        const threadId = await orphaned(log);
        const { harness } = scene(script, { storage: log, tools: { echo } });
        const opening = how === 'switchThread' ? harness.switchThread({ threadId }) : harness.selectOrCreateThread();
        const settled = Promise.resolve(opening).then(
          () => {},
          () => {},
        );
        for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
        await harness.destroy();
        await settled;
        const { seq } = (await log.getThread(threadId)) ?? {};
        const next = new Supervisor({ log });
        expect((await next.takeOver(threadId)).elsewhere).toEqual([]);
        await next.close();
        expect(seq).toBeGreaterThan(0);
      }
    },
  );

  it('shows the approval of a run that was requested and had not begun', async () => {
    const log = new MemoryLog();
    const { id } = await log.createThread({ resourceId: 'harness' });
    await log.append(id, [
      { type: 'user', runId: 'u', content: 'Go.' },
      { type: 'run_requested', runId: 'r', agentId: 'main', parentId: 'u:user' },
    ]);
    const agent = loopAgent({ id: 'main', model: scriptedModel(script) });
    const { harness, of } = scene(script, {
      storage: log,
      tools: { echo },
      modes: [{ id: 'main', name: 'Main', agent }],
    });
    await harness.switchThread({ threadId: id });
    await vi.waitFor(() => expect(harness.getDisplayState().pendingApproval).toMatchObject({ toolName: 'echo' }));
    expect(harness.isRunning()).toBe(true);
    harness.respondToToolApproval({ decision: 'approve' });
    await vi.waitFor(() => expect(of('agent_end')).toHaveLength(1));
    expect(harness.isRunning()).toBe(false);
    await harness.destroy();
  });
});
