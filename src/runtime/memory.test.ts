import { describe, expect, it } from 'vitest';
import { eventsOf, memoryScene, observersEnded, runsOf } from '../../test/support/memory-scene.ts';
import { loopAgent } from '../agents/loop/loop-agent.ts';
import { scriptedModel } from '../agents/model/scripted/scripted-model.ts';
import { MemoryLog } from '../log/memory-log.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { createRuntime } from './runtime.ts';

describe('the memory of a runtime', () => {
  it('observes the threads of its agents, and is no part of their requests', async () => {
    const storage = new MemoryLog();
    const { memory } = memoryScene();
    const agent = loopAgent({ id: 'talker', model: scriptedModel(() => `More. ${'word '.repeat(60)}`) });
    const runtime = createRuntime({ resourceId: 'acme', agent, storage, memory });
    const flow: FlowEvent[] = [];
    for (let turn = 1; turn <= 12; turn++) {
      for await (const event of runtime.query(`Tell me of topic-${turn}.`, { threadId: 't' })) flow.push(event);
      await observersEnded({ log: storage, threadId: 't' });
    }
    const events = await storage.read('t');
    expect(runsOf(events, 'observer').length).toBeGreaterThan(1);
    expect(eventsOf(events, 'summary').some(({ activates }) => activates !== undefined)).toBe(true);
    expect(JSON.stringify(flow)).not.toContain('User spoke of');
    expect(JSON.stringify(flow)).not.toContain('observer');
    await runtime.close();
  });
});
