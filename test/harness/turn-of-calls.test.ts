import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { Harness } from '../../src/control/index.ts';
import { anyModel, calls, scene, waitingTool, yolo } from './scene.ts';

type Choose = (harness: Harness) => Promise<void>;
const choices: [string, Choose, object][] = [
  ['renameThread', harness => harness.renameThread({ title: 'New' }), { title: 'New' }],
  ['setThreadSetting', harness => harness.setThreadSetting({ key: 'k', value: 1 }), { metadata: { k: 1 } }],
  [
    'switchModel',
    harness => harness.switchModel({ modelId: 'a/x', scope: 'thread' }),
    { metadata: { currentModelId: 'a/x' } },
  ],
  [
    'switchObserverModel',
    harness => harness.switchObserverModel({ modelId: 'a/x' }),
    { metadata: { observerModelId: 'a/x' } },
  ],
  [
    'switchReflectorModel',
    harness => harness.switchReflectorModel({ modelId: 'a/x' }),
    { metadata: { reflectorModelId: 'a/x' } },
  ],
  [
    'setSubagentModelId',
    harness => harness.setSubagentModelId({ modelId: 'a/x' }),
    { metadata: { subagentModelId: 'a/x' } },
  ],
];

describe.each(choices)('%s', (_, choose, kept) => {
  const find = async (harness: Harness, threadId: string) =>
    (await harness.listThreads()).find(({ id }) => id === threadId);

  it('applies to the thread that the earlier calls lead to', async () => {
    const { harness } = scene([], anyModel);
    const first = await harness.createThread();
    const second = await harness.createThread();
    const before = await find(harness, second.id);
    const switching = harness.switchThread({ threadId: first.id });
    await choose(harness);
    await switching;
    expect(await find(harness, first.id)).toMatchObject(kept);
    expect(await find(harness, second.id)).toEqual(before);
  });

  it('can be called by a tool and by a listener, and waits for no run', async () => {
    const chooses = {
      description: 'chooses',
      inputSchema: z.object({}),
      execute: async () => (await choose(harness), 'chosen'),
    };
    const { harness, on } = scene([[calls('choose')], 'Done.'], { tools: { choose: chooses }, ...yolo, ...anyModel });
    const heard: string[] = [];
    harness.subscribe(async ({ type }) => {
      if (type !== 'tool_start') return;
      await choose(harness);
      heard.push(type);
    });
    await harness.sendMessage({ content: 'Go.' });
    expect(await on('tool_end')).toMatchObject({ result: 'chosen', isError: false });
    expect(heard).toEqual(['tool_start']);
    expect((await harness.listThreads())[0]).toMatchObject(kept);
  });

  it('by a tool that is being aborted, because another thread is opened, applies to that thread', async () => {
    const { tool, begun } = waitingTool();
    let chosen: Promise<void> | undefined;
    const chooses = {
      ...tool,
      execute: async (...given: Parameters<typeof tool.execute>) => {
        await tool.execute(...given);
        chosen = choose(harness);
        await chosen;
      },
    };
    const { harness, of } = scene([[calls('choose')], 'Done.'], { tools: { choose: chooses }, ...yolo, ...anyModel });
    const other = await harness.createThread();
    await harness.createThread();
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.switchThread({ threadId: other.id });
    await sending;
    await chosen;
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['aborted']);
    expect(await find(harness, other.id)).toMatchObject(kept);
  });
});
