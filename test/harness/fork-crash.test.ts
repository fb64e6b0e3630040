import { spawnSync } from 'node:child_process';
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { checkOrder } from '../../src/events/index.ts';
import type { HarnessTool } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { killedLog, ownedLog } from '../support/killed-log.ts';
import { byTask, fork, forking, forksOf, stored } from './fork-scene.ts';
import { calls, gate } from './scene.ts';

const ended = () => `${hostname()}/${spawnSync(process.execPath, ['--version']).pid}/x`;
const script = byTask([[fork()], 'Done.'], { 'Try it.': [[calls('note')], 'Tried.'] });

/** Kills a harness before its n-th write, and lets another one continue on the same storage. */
async function killedAfter(writes: number, owner: string) {
  const store = new MemoryLog();
  const { log, killed } = killedLog(ownedLog(store, owner), writes);
  const effects: string[] = [];
  const note: HarnessTool = { description: 'notes', execute: () => void effects.push('noted') };
  const first = forking(script, { storage: log, tools: { note } });
  const isWhole = await Promise.race([
    first.harness.sendMessage({ content: 'Go.' }).then(() => true),
    killed.then(() => false),
  ]);
  const second = forking(script, { storage: store, tools: { note } });
  const { id } = await second.harness.selectOrCreateThread();
  if (second.harness.isRunning()) await second.on('agent_end');
  const forks = await forksOf(second);
  await second.harness.destroy();
  const events = await store.read(id);
  return { store, isWhole, effects, forks, events };
}

describe('a forked subagent whose process is killed', () => {
  it('is resumed in the same fork, with each effect at most once, wherever it was killed', async () => {
    const owner = ended();
    let resumed = 0;
    for (let writes = 0; ; writes++) {
      const { store, isWhole, effects, forks, events } = await killedAfter(writes, owner);
      const results = events.filter(event => event.type === 'tool_result');
      const isStarted = events.some(event => event.type === 'tool_start');
      expect([writes, forks.length]).toEqual([writes, isStarted ? 1 : forks.length]);
      expect(forks.length).toBeLessThanOrEqual(1);
      expect(effects.length).toBeLessThanOrEqual(1);
      expect(checkOrder(events)).toEqual([]);
      for (const { id } of forks) expect(checkOrder(await store.read(id))).toEqual([]);
      if (forks.length > 0) {
        expect(JSON.stringify(results[0]?.output)).toContain('Tried.');
        expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
      }
      if (isWhole) break;
      if (forks.length > 0) resumed++;
    }
    expect(resumed).toBeGreaterThan(5);
  });

  it('keeps its question, which the next harness shows and answers', async () => {
    const store = new MemoryLog();
    const asking = byTask([[fork()], 'Done.'], {
      'Try it.': [[calls('ask_user', { question: 'Which?' })], 'Tried.'],
    });
    const first = forking(asking, { storage: store });
    void first.harness.sendMessage({ content: 'Go.' }).catch(() => {});
    await first.on('ask_question');
    const [thread] = await first.harness.listThreads();
    const before = await stored(store, thread?.id ?? '');
    await first.harness.destroy();
    const second = forking(asking, { storage: store });
    await second.harness.selectOrCreateThread();
    const { questionId } = await second.on('ask_question');
    expect(await stored(store, thread?.id ?? '')).toEqual(before);
    second.harness.respondToQuestion({ questionId, answer: 'This.' });
    await second.on('agent_end');
    expect(second.of('subagent_end')).toMatchObject([{ result: 'Tried.', isError: false }]);
    expect(await forksOf(second)).toHaveLength(1);
    await second.harness.destroy();
  });

  it('is not ended when its harness is destroyed: the next one resumes it', async () => {
    const store = new MemoryLog();
    const reached = gate();
    const wait: HarnessTool = {
      description: 'waits',
      execute: (_, context) =>
        new Promise(resolve => {
          reached.open();
          context?.abortSignal?.addEventListener('abort', () => resolve('stopped'));
        }),
    };
    const waiting = byTask([[fork()], 'Done.'], { 'Try it.': [[calls('wait')], 'Tried.'] });
    const first = forking(waiting, { storage: store, tools: { wait } });
    void first.harness.sendMessage({ content: 'Go.' }).catch(() => {});
    await reached.opened;
    await first.harness.destroy();
    const [forked] = (await store.listThreads()).filter(({ metadata }) => metadata['forkedSubagent'] === true);
    expect((await store.read(forked?.id ?? '')).map(({ type }) => type)).not.toContain('abort_requested');
    const second = forking(waiting, { storage: store, tools: { wait } });
    await second.harness.selectOrCreateThread();
    await second.on('agent_end');
    expect(second.of('subagent_end')).toMatchObject([{ result: 'Tried.' }]);
    await second.harness.destroy();
  });
});
