import { describe, expect, it } from 'vitest';
import { Harness } from '../../src/control/harness/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { memoryScene } from '../support/memory-scene.ts';
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
});
