import { describe, expect, it } from 'vitest';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness, type HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { anyModel, watch } from './scene.ts';

const agent = (id: string) => loopAgent({ id, model: scriptedModel(() => 'ok') });

/** Two modes with models of their own, and one without. */
function threeModes(config: Partial<HarnessConfig> = {}) {
  const storage = config.storage ?? new MemoryLog();
  const modes = [
    { id: 'plan', agent: agent('plan'), defaultModelId: 'a/plan' },
    { id: 'build', agent: agent('build'), defaultModelId: 'a/build' },
    { id: 'talk', agent: agent('talk') },
  ];
  const open = () => watch(new Harness({ id: 'h', storage, modes, ...anyModel, ...config }));
  return { storage, open, ...open() };
}

/** What a harness shows of what can be chosen. */
const shown = (harness: Harness) => ({
  mode: harness.getCurrentModeId(),
  model: harness.getCurrentModelId(),
  subagents: [harness.getSubagentModelId(), harness.getSubagentModelId({ agentType: 'explore' })],
  observer: harness.getObserverModelId(),
  reflector: harness.getReflectorModelId(),
});

describe('a choice for a thread', () => {
  /** What a new harness on the open thread shows, as this one does. */
  async function shownAnew({ harness, open }: ReturnType<typeof threeModes>) {
    const { harness: second } = open();
    await second.switchThread({ threadId: harness.getCurrentThreadId() ?? '' });
    expect(shown(second)).toEqual(shown(harness));
    return shown(second);
  }

  it('does not apply to another thread, which shows what a new harness shows', async () => {
    const made = threeModes();
    const { harness } = made;
    const other = await harness.createThread({ title: 'Other' });
    const first = await harness.createThread({ title: 'First' });
    await harness.switchMode({ modeId: 'build' });
    await harness.switchModel({ modelId: 'a/special', scope: 'thread' });
    await harness.setSubagentModelId({ modelId: 'a/sub' });
    await harness.setSubagentModelId({ modelId: 'a/explorer', agentType: 'explore' });
    await harness.switchObserverModel({ modelId: 'a/observer' });
    await harness.switchReflectorModel({ modelId: 'a/reflector' });
    const chosen = await shownAnew(made);
    expect(chosen).toEqual({
      mode: 'build',
      model: 'a/special',
      subagents: ['a/sub', 'a/explorer'],
      observer: 'a/observer',
      reflector: 'a/reflector',
    });

    await harness.switchThread({ threadId: other.id });
    const nothing = { subagents: [null, null], observer: undefined, reflector: undefined };
    expect(await shownAnew(made)).toEqual({ mode: 'plan', model: 'a/plan', ...nothing });
    await harness.switchMode({ modeId: 'build' });
    expect(await shownAnew(made)).toEqual({ mode: 'build', model: 'a/build', ...nothing });

    await harness.switchThread({ threadId: first.id });
    expect(await shownAnew(made)).toEqual(chosen);
  });

  it('does not apply to a thread that stores neither a mode nor a model', async () => {
    const made = threeModes();
    const { harness, storage } = made;
    const { id } = await storage.createThread({ resourceId: 'h' });
    await harness.createThread();
    await harness.switchMode({ modeId: 'talk' });
    await harness.switchModel({ modelId: 'a/special', scope: 'thread' });
    await harness.switchThread({ threadId: id });
    expect(await shownAnew(made)).toMatchObject({ mode: 'plan', model: 'a/plan' });
    await harness.switchMode({ modeId: 'talk' });
    expect(await shownAnew(made)).toMatchObject({ mode: 'talk', model: 'a/plan' });
  });

  it('is stored by a new thread; models of other modes are not copied', async () => {
    const made = threeModes();
    const { harness } = made;
    await harness.createThread();
    await harness.switchModel({ modelId: 'a/special', scope: 'thread' });
    await harness.switchModel({ modelId: 'a/other', scope: 'thread', modeId: 'build' });
    await harness.setSubagentModelId({ modelId: 'a/sub' });
    await harness.createThread();
    expect(await shownAnew(made)).toMatchObject({ mode: 'plan', model: 'a/special', subagents: ['a/sub', 'a/sub'] });
    await harness.switchMode({ modeId: 'build' });
    expect(await shownAnew(made)).toMatchObject({ mode: 'build', model: 'a/build' });
  });

  it('before a thread is open is stored by the next new one', async () => {
    const made = threeModes();
    const { harness } = made;
    await harness.switchModel({ modelId: 'a/other', scope: 'thread', modeId: 'build' });
    await harness.createThread();
    await harness.switchMode({ modeId: 'build' });
    expect(await shownAnew(made)).toMatchObject({ mode: 'build', model: 'a/other' });
    await harness.createThread();
    await harness.switchMode({ modeId: 'plan' });
    await harness.setSubagentModelId({ modelId: 'a/sub' });
    harness.setResourceId({ resourceId: 'elsewhere' });
    await harness.createThread();
    await harness.switchMode({ modeId: 'build' });
    expect(await shownAnew(made)).toMatchObject({ mode: 'build', model: 'a/build', subagents: ['a/sub', 'a/sub'] });
  });

  it('of another harness does not apply to another thread here', async () => {
    const { harness, open } = threeModes();
    const other = await harness.createThread();
    const { id } = await harness.createThread();
    const second = open().harness;
    await second.switchThread({ threadId: id });
    await second.switchModel({ modelId: 'a/special', scope: 'thread', modeId: 'build' });
    await second.switchMode({ modeId: 'build' });
    await harness.listMessages();
    expect(shown(harness)).toMatchObject({ mode: 'build', model: 'a/special' });
    await harness.switchThread({ threadId: other.id });
    await harness.switchMode({ modeId: 'build' });
    expect(shown(harness)).toMatchObject({ mode: 'build', model: 'a/build' });
  });

  it('applies to the mode that the earlier calls lead to', async () => {
    const { harness } = threeModes();
    await harness.createThread();
    const switching = harness.switchMode({ modeId: 'build' });
    await harness.switchModel({ modelId: 'a/x', scope: 'thread' });
    await switching;
    expect(shown(harness)).toMatchObject({ mode: 'build', model: 'a/x' });
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({
      modeModelId_plan: 'a/plan',
      modeModelId_build: 'a/x',
    });
  });
});

describe('a choice for the session', () => {
  it('applies to every thread that stores none', async () => {
    const { harness } = threeModes({ initialState: { observerModelId: 'a/given' } });
    await harness.setSubagentModelId({ modelId: 'a/session' });
    const other = await harness.createThread();
    expect((await harness.listThreads())[0]?.metadata).not.toHaveProperty('observerModelId');
    const first = await harness.createThread();
    await harness.switchObserverModel({ modelId: 'a/kept' });
    await harness.switchModel({ modelId: 'a/builder', modeId: 'build' });
    await harness.setState({ reflectorModelId: 'a/stated' });
    await harness.switchThread({ threadId: other.id });
    await harness.switchMode({ modeId: 'build' });
    expect(shown(harness)).toEqual({
      mode: 'build',
      model: 'a/builder',
      subagents: ['a/session', 'a/session'],
      observer: 'a/given',
      reflector: 'a/stated',
    });
    await harness.switchThread({ threadId: first.id });
    expect(shown(harness)).toMatchObject({ mode: 'plan', observer: 'a/kept', reflector: 'a/stated' });
  });
});

describe('a choice that cannot be stored', () => {
  it.each<[string, (harness: Harness) => Promise<void>]>([
    ['switchModel', harness => harness.switchModel({ modelId: 'a/x' })],
    ['switchModel for the thread', harness => harness.switchModel({ modelId: 'a/x', scope: 'thread' })],
    ['switchMode', harness => harness.switchMode({ modeId: 'build' })],
    ['setSubagentModelId', harness => harness.setSubagentModelId({ modelId: 'a/x' })],
    ['switchObserverModel', harness => harness.switchObserverModel({ modelId: 'a/x' })],
    ['switchReflectorModel', harness => harness.switchReflectorModel({ modelId: 'a/x' })],
  ])('is refused and changes nothing: %s', async (_, choose) => {
    const storage = new MemoryLog();
    const { harness, events } = threeModes({ storage });
    const { id } = await harness.createThread();
    const before = shown(harness);
    const count = events.length;
    await storage.deleteThread(id);
    await expect(choose(harness)).rejects.toMatchObject({ code: 'thread_not_found' });
    expect([shown(harness), events.length]).toEqual([before, count]);
    await harness.createThread();
    expect(shown(harness)).toEqual(before);
  });
});
