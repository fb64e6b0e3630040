import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Harness } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { memoryScene, smallLimits } from '../support/memory-scene.ts';
import { collaborator, fork, forksOf } from './fork-scene.ts';
import { calls, echo, watch, yolo } from './scene.ts';

const words = (count: number) => 'word '.repeat(60 * count);

/** Talks until there are observations, then forks; the fork reads so much that it is observed, too. */
async function forkWithMemory() {
  const { agent, memory, prompts, requests } = memoryScene({
    answer: ({ lastUserText, step }) => {
      if (lastUserText === 'Read on.')
        return step < 6 ? [calls('echo', { value: `topic-9${step} ${words(1)}` }, `e${step}`)] : 'Read.';
      if (lastUserText === 'Fork now.') return step === 0 ? [fork('Read on.')] : 'Done.';
      return `More about it. ${words(1)}`;
    },
    agent: { tools: [] },
  });
  const log = new MemoryLog();
  const config = { modes: [{ id: 'main', agent }], storage: log, memory, subagents: [collaborator], tools: { echo } };
  const watched = watch(new Harness({ id: 'memory', ...config, ...yolo }));
  const { harness } = watched;
  const { id } = await harness.createThread();
  for (let turn = 1; turn <= 8; turn++) await harness.sendMessage({ content: `topic-${turn} ${words(1)}` });
  await harness.sendMessage({ content: 'Fork now.' });
  const [forked] = await forksOf(watched);
  const thread = await log.getThread(forked?.id ?? '');
  const inFork = await log.read(forked?.id ?? '', { after: thread?.branchedFrom?.seq ?? 0 });
  await harness.destroy();
  return { prompts, requests, parent: await log.read(id), inFork };
}

/** Adds a turn to a thread, with an observation that stands for it. */
async function observedTurn(log: MemoryLog, threadId: string, fact: string): Promise<void> {
  const [asked, answered] = [`${fact}-asked`, `${fact}-answered`];
  await log.append(threadId, [
    { type: 'user', runId: asked, content: 'Note this.' },
    { type: 'harness_start', runId: answered, agentId: 'loop', parentId: `${asked}:user` },
    { type: 'text', runId: answered, id: `${fact}-text`, content: 'Noted.' },
    { type: 'harness_end', runId: answered, agentId: 'loop', reason: 'complete' },
    {
      type: 'summary',
      runId: answered,
      id: `${fact}-summary`,
      covers: { from: `${asked}:user`, to: `${fact}-text` },
      kind: 'observation',
      text: `* [high] ${fact}`,
    },
  ]);
}

describe('a forked subagent with observational memory', () => {
  it('begins with the observations of its parent, byte for byte, and is observed in its own thread', async () => {
    const { prompts, requests, parent, inFork } = await forkWithMemory();
    const first = requests.findIndex(({ lastUserText }) => lastUserText === 'Read on.');
    const [before, forked] = [prompts[first - 1] ?? [], prompts[first] ?? []];
    expect(JSON.stringify(before)).toContain('User spoke of topic-1');
    expect(JSON.stringify(forked.slice(0, before.length))).toBe(JSON.stringify(before));
    const observedIn = (events: typeof parent) =>
      events.flatMap(event => (event.type === 'summary' ? [event.text] : [])).join(' ');
    expect(observedIn(inFork)).toContain('topic-90');
    expect(observedIn(parent)).not.toContain('topic-90');
  });

  it('is sent the same observations of other threads as its parent, which change meanwhile', async () => {
    const log = new MemoryLog();
    const other = await log.createThread({ resourceId: 'memory' });
    await observedTurn(log, other.id, 'old-fact');
    const { agent, memory, prompts, requests } = memoryScene({
      memory: { ...smallLimits, scope: 'resource' },
      answer: ({ lastUserText, step }) => {
        if (lastUserText === 'Read on.') return 'Read.';
        return step === 0 ? [calls('observe')] : step === 1 ? [fork('Read on.')] : 'Done.';
      },
      agent: { tools: [] },
    });
    const observe = {
      description: 'observes',
      inputSchema: z.object({}),
      execute: () => observedTurn(log, other.id, 'new-fact'),
    };
    const config = {
      modes: [{ id: 'main', agent }],
      storage: log,
      memory,
      subagents: [collaborator],
      tools: { observe },
    };
    const { harness } = watch(new Harness({ id: 'memory', ...config, ...yolo }));
    await harness.createThread();
    await harness.sendMessage({ content: 'Fork now.' });
    await harness.sendMessage({ content: 'And now?' });
    await harness.destroy();
    const first = requests.findIndex(({ lastUserText }) => lastUserText === 'Read on.');
    const [before, forked] = [prompts[first - 1] ?? [], prompts[first] ?? []];
    expect(JSON.stringify(before)).toContain('old-fact');
    expect(JSON.stringify(forked.slice(0, before.length))).toBe(JSON.stringify(before));
    expect(JSON.stringify(forked)).not.toContain('new-fact');
    expect(JSON.stringify(prompts.at(-1))).toContain('new-fact');
  });
});
