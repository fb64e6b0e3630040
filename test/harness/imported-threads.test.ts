import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../src/events/index.ts';
import { importThread, MemoryLog } from '../../src/log/index.ts';
import { calls, scene, waitingTool } from './scene.ts';

describe('an imported thread', () => {
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
