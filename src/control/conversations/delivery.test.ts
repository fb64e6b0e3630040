import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it, vi } from 'vitest';
import { killedLog } from '../../../test/support/killed-log.ts';
import { gate, scriptedAgent } from '../../../test/support/scripted-agent.ts';
import { Supervisor } from '../supervision/supervisor.ts';
import { hasOpen } from '../../log/open-things.ts';
import type { EventLog, Thread } from '../../log/event-log.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Conversations } from './conversations.ts';

/** Conversations in a process of its own, with an agent that does something once for what it is asked. */
function processOn(log: EventLog, owner: string | undefined, { hold }: { hold?: Promise<void> } = {}) {
  const effects: string[] = [];
  const agent = scriptedAgent('worker', async function* ({ event, params, until }) {
    yield event('tool_call', { id: `${params.run.runId}/c`, name: 'work', input: {} });
    yield event('tool_start', { id: `${params.run.runId}/c`, name: 'work' });
    effects.push(JSON.stringify(params.conversation.messages.at(-1)?.content));
    if (effects.length === 1 && hold !== undefined) await until(hold);
    yield event('tool_result', { id: `${params.run.runId}/c`, name: 'work', output: { context: 'done' } });
  });
  const control = new Supervisor({ log, agents: [agent], ...(owner !== undefined && { owner }) });
  const agents = { list: () => [{ id: 'worker', name: 'Worker' }], get: () => agent };
  const conversations = new Conversations({ log, control, agents });
  conversations.deliver();
  return { control, effects, conversations };
}

/** What became of a follow-up when the process that was to deliver it was killed after so many writes. */
async function deliveredAfter(writes: number, deadOwner: string) {
  const store = new MemoryLog();
  const { id: threadId } = await store.createThread({ title: 'T' });
  const { log, killed } = killedLog(store, writes);
  const hold = gate();
  const first = processOn(log, deadOwner, { hold: hold.opened });
  const survived = (async () => {
    await first.conversations.send(threadId, { content: 'now' });
    await first.conversations.send(threadId, { content: 'later', delivery: 'follow_up' });
    hold.open();
    let ends = 0;
    for await (const event of store.tail(threadId)) if (event.type === 'harness_end' && ++ends === 2) break;
    await Promise.all(first.control.running().map(run => run.done));
    return true;
  })();
  const isWhole = await Promise.race([survived, killed.then(() => false)]);
  hold.open();
  const isWaiting = async () => hasOpen((await store.getThread(threadId)) as Thread, 'message');
  const isQueued = await isWaiting();
  const next = processOn(store, undefined);
  await next.control.recover();
  await next.conversations.recover();
  await vi.waitFor(async () => expect([await isWaiting(), next.control.running()]).toEqual([false, []]), {
    interval: 1,
  });
  const events = await store.read(threadId);
  const said = events.flatMap(event => (event.type === 'user' ? [event.content] : []));
  const effects = [...first.effects, ...next.effects].filter(effect => effect.includes('later'));
  await next.control.close();
  return { isWhole, isQueued, said, effects };
}

describe('a follow-up', () => {
  it('is delivered once, with one effect, wherever the process is killed', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const owner = `${hostname()}/${pid}/x`;
    let accepted = 0;
    for (let writes = 0; ; writes++) {
      const { isWhole, isQueued, said, effects } = await deliveredAfter(writes, owner);
      const times = said.filter(content => content === 'later').length;
      if (isQueued) accepted++;
      expect([writes, times]).toEqual([writes, isQueued ? 1 : Math.min(times, 1)]);
      expect(effects.length).toBeLessThanOrEqual(1);
      if (isWhole) break;
    }
    expect(accepted).toBeGreaterThan(2);
  });
});
