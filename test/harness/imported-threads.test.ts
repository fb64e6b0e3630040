import { describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/index.ts';
import { Harness } from '../../src/control/index.ts';
import type { AgentEvent } from '../../src/events/index.ts';
import { importThread, MemoryLog } from '../../src/log/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { calls, scene, waitingTool } from './scene.ts';

describe('an imported thread', () => {
  it('changes neither mode nor model of a harness that opened it while it was imported', async () => {
    const storage = new MemoryLog();
    const { id: threadId } = await storage.createThread({ imported: true });
    const imported = (event: AgentEvent) => storage.append(threadId, [event], { imported: true });
    await imported({ type: 'user', runId: 'asked', content: 'Go.' });
    const agent = loopAgent({ model: scriptedModel(['Done.']) });
    const modes = ['plan', 'build'].map(id => ({ id, agent, defaultModelId: 'a/own' }));
    const harness = new Harness({ id: 'h', storage, modes });
    await harness.switchThread({ threadId });
    await imported({ type: 'mode_changed', runId: 'r', modeId: 'build' });
    await imported({ type: 'model_changed', runId: 'r', modelId: 'a/other', scope: 'thread' });
    await harness.sendMessage({ content: 'Again.' });
    expect([harness.getCurrentModeId(), harness.getCurrentModelId()]).toEqual(['plan', 'a/own']);
    await storage.append(threadId, [{ type: 'mode_changed', runId: 'r', modeId: 'build' }]);
    await harness.sendMessage({ content: 'Once more.' });
    expect(harness.getCurrentModeId()).toBe('build');
    await harness.destroy();
  });

  it('shows nothing pending or running, and asks for calls that its events granted', async () => {
    const runId = 'r';
    const input = { command: 'make' };
    const relay = { type: 'relay', runId, relayKind: 'permission', tool: 'wait', params: input } as const;
    const events: AgentEvent[] = [
      { type: 'user', runId: 'asked', content: 'Go.' },
      { type: 'harness_start', runId, agentId: 'main', parentId: 'asked:user' },
      { type: 'tool_call', runId, id: 'r/1', name: 'wait', input },
      { ...relay, id: 'r/q1', toolCallId: 'r/1' },
      { type: 'relay_resolved', runId, relayId: 'r/q1', outcome: 'approve', remember: 'category' },
      { type: 'tool_call', runId, id: 'r/2', name: 'wait', input },
      { ...relay, id: 'r/q2', toolCallId: 'r/2' },
    ];
    const storage = new MemoryLog();
    const { id: threadId } = await importThread(
      storage,
      events.map(event => `${JSON.stringify(event)}\n`),
    );
    const { tool } = waitingTool();
    const { harness, on } = scene([[calls('wait')], 'Done.'], { storage, tools: { wait: tool } });
    await harness.switchThread({ threadId });
    expect(harness.getDisplayState()).toMatchObject({ isRunning: false, pendingApproval: null });
    const sending = harness.sendMessage({ content: 'Again.' });
    const { toolCallId } = await on('tool_approval_required');
    expect(toolCallId).not.toMatch(/^r\//);
    harness.abort();
    await sending;
  });
});
