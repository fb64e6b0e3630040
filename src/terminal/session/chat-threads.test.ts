import { expect, it } from 'vitest';
import { scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { systemClock } from '../../control/index.ts';
import type { AgentEvent } from '../../events/index.ts';
import { importThread, MemoryLog } from '../../log/index.ts';
import { ChatThreads } from './chat-threads.ts';

it('shows the mode of a long thread before it is open, unless the mode was imported', async () => {
  const log = new MemoryLog();
  const worker = scriptedAgent('worker', async function* () {});
  const modes = ['build', 'plan'].map(id => ({ id, name: id }));
  const agent = { id: 'worker', hasOwnModels: false, agent: { ...worker, modes } };
  const nothing = () => {};
  const host = new ChatThreads({
    log,
    agent,
    agents: { open: async () => agent, agentOf: async () => undefined },
    cwd: '/',
    onChange: nothing,
    onLost: nothing,
    clock: systemClock,
  });
  const chosen: AgentEvent = { type: 'mode_changed', runId: 'r', modeId: 'plan' };
  const words = Array.from(
    { length: 5_001 },
    (_, at): AgentEvent => ({ type: 'text', runId: 'r', id: 't', content: `${at}` }),
  );
  const { id } = await importThread(
    log,
    [...words, chosen].map(event => `${JSON.stringify(event)}\n`),
  );
  await host.switchTo(id);
  expect(host.mode.id).toBe('build');
  const own = await log.createThread();
  await log.append(own.id, [...words, chosen]);
  await host.switchTo(own.id);
  expect(host.mode.id).toBe('plan');
  await host.close();
});
