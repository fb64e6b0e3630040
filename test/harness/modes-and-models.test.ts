import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { loopAgent } from '../../src/agents/loop/loop-agent.ts';
import { createModelRegistry } from '../../src/agents/model/registry/registry.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import { Harness, type HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { anyModel, calls, scene, waitingTool, watch, yolo } from './scene.ts';

const agent = (id: string) => loopAgent({ id, model: scriptedModel([`${id}.`]) });
function twoModes(config: Partial<HarnessConfig> = {}) {
  return watch(
    new Harness({
      id: 'h',
      modes: [
        { id: 'plan', name: 'Plan', color: '#7c3aed', agent: agent('planner'), defaultModelId: 'a/plan' },
        { id: 'build', agent: agent('builder'), default: true, defaultModelId: 'a/build' },
      ],
      ...anyModel,
      ...config,
    }),
  );
}

const fail = (): never => {
  throw new Error('failed');
};

describe('modes', () => {
  it('are listed, and the first one is the default', () => {
    const { harness } = twoModes();
    expect(harness.id).toBe('h');
    expect(harness.listModes().map(({ id }) => id)).toEqual(['plan', 'build']);
    expect(harness.getCurrentModeId()).toBe('build');
    expect(harness.getCurrentMode()).toMatchObject({ id: 'build', default: true });
    expect(harness.getCurrentModelId()).toBe('a/build');
  });

  it('are required, with unique ids', () => {
    expect(() => new Harness({ id: 'h', modes: [] })).toThrow('Harness requires at least one agent mode');
    const mode = { id: 'a', agent: agent('a') };
    expect(() => new Harness({ id: 'h', modes: [mode, mode] })).toThrow(
      expect.objectContaining({ code: 'invalid_argument' }) as Error,
    );
  });

  it('are switched with their models, in the open thread and without one', async () => {
    const { harness, lines, of } = twoModes();
    await harness.switchMode({ modeId: 'plan' });
    expect(harness.getCurrentModelId()).toBe('a/plan');
    await harness.createThread();
    await harness.switchMode({ modeId: 'build' });
    await harness.switchMode({ modeId: 'build' });
    const switched = ['state_changed', 'model_changed', 'mode_changed'];
    expect(lines()).toEqual([...switched, 'thread_created', ...switched]);
    expect(of('mode_changed')).toEqual([
      { type: 'mode_changed', modeId: 'plan', previousModeId: 'build' },
      { type: 'mode_changed', modeId: 'build', previousModeId: 'plan' },
    ]);
    expect(of('model_changed').at(-1)).toEqual({
      type: 'model_changed',
      modelId: 'a/build',
      scope: 'mode',
      modeId: 'build',
    });
    await expect(harness.switchMode({ modeId: 'no' })).rejects.toThrow('Mode not found: no');
  });

  it('keep their last model, in the thread', async () => {
    const storage = new MemoryLog();
    const { harness } = twoModes({ storage });
    await harness.createThread();
    await harness.switchModel({ modelId: 'a/session' });
    await harness.switchMode({ modeId: 'plan' });
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({
      currentModeId: 'plan',
      modeModelId_build: 'a/session',
    });
    const second = twoModes({ storage }).harness;
    await second.selectOrCreateThread();
    await second.switchMode({ modeId: 'build' });
    expect(second.getCurrentModelId()).toBe('a/session');
  });

  it('emit their model even when it stays the same', async () => {
    const { harness, of } = twoModes();
    await harness.switchModel({ modelId: 'a/plan' });
    await harness.switchMode({ modeId: 'plan' });
    expect(of('model_changed').at(-1)).toMatchObject({ modelId: 'a/plan', scope: 'mode', modeId: 'plan' });
  });

  it('that are switched abort the active run', async () => {
    const { tool, begun } = waitingTool();
    const { harness, lines } = watch(
      new Harness({
        id: 'h',
        ...yolo,
        tools: { wait: tool },
        modes: [
          { id: 'one', agent: loopAgent({ model: scriptedModel([[calls('wait')]]) }) },
          { id: 'two', agent: agent('two') },
        ],
      }),
    );
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    await harness.switchMode({ modeId: 'two' });
    await sending;
    expect(lines().slice(-2)).toEqual(['agent_end aborted', 'mode_changed']);
    await harness.sendMessage({ content: 'And?' });
    expect((await harness.listMessages()).at(-1)?.content).toEqual([{ type: 'text', text: 'two.' }]);
  });

  it('that are switched abort a message that is being sent', async () => {
    const modes = ['one', 'two'].map(id => ({ id, agent: agent(id) }));
    const { harness, of } = twoModes({ modes });
    await harness.createThread();
    const sending = harness.sendMessage({ content: 'Go.' });
    await harness.switchMode({ modeId: 'two' });
    await sending;
    expect(of('agent_end').map(({ reason }) => reason)).toEqual(['aborted']);
    await harness.sendMessage({ content: 'And?' });
    expect((await harness.listMessages()).at(-1)?.content).toEqual([{ type: 'text', text: 'two.' }]);
  });

  it('that are switched answer the next message, also during a run', async () => {
    const { tool, begun } = waitingTool();
    const one = loopAgent({ id: 'one', model: scriptedModel([[calls('wait')], 'one.']) });
    const { harness } = twoModes({
      modes: [
        { id: 'one', agent: one },
        { id: 'two', agent: agent('two') },
      ],
      tools: { wait: tool },
      ...yolo,
    });
    const sending = harness.sendMessage({ content: 'Go.' });
    await begun.opened;
    const switching = harness.switchMode({ modeId: 'two' });
    await harness.sendMessage({ content: 'And?' });
    await Promise.all([switching, sending]);
    expect((await harness.listMessages()).at(-1)?.content).toEqual([{ type: 'text', text: 'two.' }]);
  });

  it('and models that another harness chooses in the thread apply here when its event arrives', async () => {
    const storage = new MemoryLog();
    const [first, second] = [twoModes({ storage }), twoModes({ storage })];
    await first.harness.createThread();
    await second.harness.selectOrCreateThread();
    await first.harness.switchModel({ modelId: 'a/other', scope: 'thread' });
    await first.harness.switchModel({ modelId: 'a/mine' });
    await second.harness.listMessages();
    expect([second.harness.getCurrentModeId(), second.harness.getCurrentModelId()]).toEqual(['build', 'a/other']);
    await first.harness.switchMode({ modeId: 'plan' });
    await second.harness.listMessages();
    expect(second.of('mode_changed')).toHaveLength(1);
    expect([second.harness.getCurrentModeId(), second.harness.getCurrentModelId()]).toEqual(['plan', 'a/plan']);
  });

  it('that another harness chose answer the next message here', async () => {
    const storage = new MemoryLog();
    const modes = ['one', 'two'].map(id => ({ id, agent: agent(id) }));
    const [first, second] = [twoModes({ storage, modes }), twoModes({ storage, modes })];
    await first.harness.createThread();
    await second.harness.selectOrCreateThread();
    await second.harness.switchMode({ modeId: 'two' });
    await first.harness.sendMessage({ content: 'Who?' });
    const said = (await first.harness.listMessages()).map(({ content }) => content);
    expect(said).toEqual([[{ type: 'text', text: 'Who?' }], [{ type: 'text', text: 'two.' }]]);
    expect(first.lines().slice(0, 4)).toEqual(['thread_created', 'mode_changed', 'agent_start', 'message_start user']);
  });

  it('without an agent that can be invoked are rejected, and no thread is left running', async () => {
    const broken = { id: 'broken' } as never;
    expect(() => new Harness({ id: 'h', modes: [{ id: 'm', agent: broken }] })).toThrow(
      '`modes.0.agent`: expected an agent',
    );
    for (const made of [() => broken, () => undefined as never, { id: 'x', invoke: 'no' } as never]) {
      const { harness, of } = watch(new Harness({ id: 'h', modes: [{ id: 'm', agent: made }] }));
      await expect(harness.sendMessage({ content: 'Hi.' })).rejects.toMatchObject({ code: 'invalid_argument' });
      expect([harness.getDisplayState().isRunning, harness.isRunning(), of('agent_start')]).toEqual([false, false, []]);
      await harness.createThread();
      await harness.destroy();
    }
  });

  it('may create their agent from the state for each run; the agent of an unused mode is not read', async () => {
    const states: unknown[] = [];
    const untouched = new Proxy(agent('x'), {
      get: () => {
        throw new Error('looked at');
      },
    });
    const { harness } = watch(
      new Harness({
        id: 'h',
        stateSchema: z.object({ tone: z.string().default('calm') }),
        modes: [
          {
            id: 'one',
            agent: state => {
              states.push(state.tone);
              return agent('one');
            },
          },
          { id: 'two', agent: untouched },
        ],
      }) as unknown as Harness,
    );
    await harness.sendMessage({ content: 'Hi.' });
    await harness.setState({ tone: 'loud' });
    await harness.sendMessage({ content: 'Hi.' });
    expect(states).toEqual(['calm', 'loud']);
  });
});

describe('models', () => {
  it('have a name, or are unknown', async () => {
    const { harness } = scene([]);
    expect([harness.getCurrentModelId(), harness.getModelName(), harness.hasModelSelected()]).toEqual([
      '',
      'unknown',
      false,
    ]);
    await harness.switchModel({ modelId: 'anthropic/claude-sonnet-4' });
    expect([harness.getFullModelId(), harness.getModelName(), harness.hasModelSelected()]).toEqual([
      'anthropic/claude-sonnet-4',
      'claude-sonnet-4',
      true,
    ]);
  });

  it('apply to the session, to the thread, or to another mode', async () => {
    const used: string[] = [];
    const { harness, of } = twoModes({ modelUseCountTracker: modelId => used.push(modelId) });
    const { id } = await harness.createThread();
    await harness.switchModel({ modelId: 'a/kept', scope: 'thread' });
    await harness.switchModel({ modelId: 'a/other', modeId: 'plan' });
    expect(harness.getCurrentModelId()).toBe('a/kept');
    await harness.createThread();
    await harness.switchModel({ modelId: 'a/session' });
    expect(harness.getCurrentModelId()).toBe('a/session');
    await harness.switchThread({ threadId: id });
    expect(harness.getCurrentModelId()).toBe('a/kept');
    await harness.switchMode({ modeId: 'plan' });
    expect(harness.getCurrentModelId()).toBe('a/other');
    expect(used).toEqual(['a/kept', 'a/other', 'a/session']);
    expect(of('model_changed').slice(0, 3)).toEqual([
      { type: 'model_changed', modelId: 'a/kept', scope: 'thread', modeId: 'build' },
      { type: 'model_changed', modelId: 'a/other', modeId: 'plan' },
      { type: 'model_changed', modelId: 'a/session', modeId: 'build' },
    ]);
  });

  it.each([undefined, 'global', 'thread'] as const)(
    'that are chosen during a run apply when the event is emitted: scope %s',
    async scope => {
      const { tool, begun, end } = waitingTool();
      const { harness } = scene([[calls('wait')], 'Done.'], { tools: { wait: tool }, ...yolo, ...anyModel });
      const seen: string[] = [];
      harness.subscribe(({ type }) => {
        if (type === 'model_changed') seen.push(harness.getCurrentModelId());
      });
      const sending = harness.sendMessage({ content: 'Go.' });
      await begun.opened;
      await harness.switchModel({ modelId: 'a/x', ...(scope && { scope }) });
      end.open();
      await sending;
      expect(seen).toEqual(['a/x']);
    },
  );

  it('stay chosen when counting them fails', async () => {
    const modelUseCountTracker = (): unknown => Promise.reject(new Error('not counted'));
    const { harness, of } = twoModes({ modelUseCountTracker });
    await harness.switchModel({ modelId: 'a/other' });
    expect(harness.getCurrentModelId()).toBe('a/other');
    expect(of('error').map(({ error }) => error.message)).toEqual(['not counted']);
  });

  it('may be set in the state', async () => {
    const { harness } = twoModes();
    await harness.setState({ currentModelId: 'a/stated' });
    expect(harness.getCurrentModelId()).toBe('a/stated');
    await harness.switchMode({ modeId: 'plan' });
    await harness.switchMode({ modeId: 'build' });
    expect(harness.getCurrentModelId()).toBe('a/stated');
  });

  it('are passed to the agent', async () => {
    const own = scriptedModel(['Own.']);
    const chosen = scriptedModel(['Chosen.']);
    const registry = { ...createModelRegistry(), resolve: async () => chosen };
    const { harness } = watch(
      new Harness({ id: 'h', modes: [{ id: 'm', agent: loopAgent({ model: own, registry }) }] }),
    );
    await harness.sendMessage({ content: 'Hi.' });
    await harness.switchModel({ modelId: 'a/chosen' });
    await harness.sendMessage({ content: 'Hi.' });
    expect([own.requests.length, chosen.requests.length]).toEqual([1, 1]);
  });

  it('that no provider has are refused when they are chosen, and nothing changes', async () => {
    const { harness, of } = scene([]);
    for (const [modelId, code] of [
      ['nobody/big', 'unknown_provider'],
      ['sonnet', 'invalid_argument'],
    ] as const)
      await expect(harness.switchModel({ modelId })).rejects.toMatchObject({ code });
    expect([harness.getCurrentModelId(), of('model_changed')]).toEqual(['', []]);
    await harness.switchModel({ modelId: 'anthropic/claude-unheard-of' });
    expect(harness.getCurrentModelId()).toBe('anthropic/claude-unheard-of');
  });

  it('of a catalog are usable when the catalog says so; a failing catalog hides no others', async () => {
    const model = { id: 'mine/big', provider: 'mine', modelName: 'big', hasApiKey: true };
    const catalogs = [() => [model], () => Promise.reject(new Error('no catalog'))];
    const [good, bad] = catalogs.map(customModelCatalogProvider => twoModes({ customModelCatalogProvider }));
    await good?.harness.switchModel({ modelId: 'mine/big' });
    expect(await good?.harness.getCurrentModelAuthStatus()).toEqual({ hasAuth: true });
    expect((await bad?.harness.listAvailableModels())?.length).toBeGreaterThan(10);
    expect(bad?.of('error').map(({ error }) => error.message)).toEqual(['no catalog']);
  });

  it.each<[string, Partial<HarnessConfig>]>([
    ['counts', { modelUseCountProvider: () => Promise.reject(new Error('failed')) as never }],
    ['counts, at once', { modelUseCountProvider: () => fail() }],
    ['who may use them', { modelAuthChecker: provider => (provider === 'anthropic' ? fail() : undefined) }],
  ])('are listed even when the callback for %s fails', async (_, config) => {
    const { harness, of } = twoModes({ ...config, initialState: { currentModelId: 'openai/gpt' } });
    expect(await harness.getCurrentModelAuthStatus()).toMatchObject({ apiKeyEnvVar: 'OPENAI_API_KEY' });
    expect(of('error')).toEqual([]);
    expect((await harness.listAvailableModels()).length).toBeGreaterThan(10);
    expect(of('error').map(({ error }) => error.message)).toEqual(['failed']);
  });

  it('replace the own model instance of an agent when they are chosen, not as the default of its mode', async () => {
    const modes = [{ id: 'm', defaultModelId: 'mine/big', agent: agent('own') }];
    const { harness, of } = watch(new Harness({ id: 'h', modes, resolveModel: id => scriptedModel([`${id}.`]) }));
    const answer = async () => (await harness.listMessages()).at(-1)?.content;
    await harness.sendMessage({ content: 'Hi.' });
    expect([await answer(), of('error')]).toEqual([[{ type: 'text', text: 'own.' }], []]);
    await harness.switchModel({ modelId: 'mine/small' });
    await harness.sendMessage({ content: 'Hi.' });
    expect(await answer()).toEqual([{ type: 'text', text: 'mine/small.' }]);
  });

  it('replace the own model of an agent only when they are chosen, also where a mode or a thread keeps a default', async () => {
    const log = new MemoryLog();
    const modes = [
      { id: 'first', defaultModelId: 'mine/big', agent: agent('first') },
      { id: 'second', agent: agent('second') },
    ];
    const open = () => new Harness({ id: 'h', modes, storage: log, resolveModel: id => scriptedModel([`${id}.`]) });
    const answer = async (harness: Harness) => {
      await harness.sendMessage({ content: 'Hi.' });
      return (await harness.listMessages()).at(-1)?.content;
    };
    const harness = open();
    const { id } = await harness.createThread();
    await harness.switchMode({ modeId: 'second' });
    expect([harness.getCurrentModelId(), await answer(harness)]).toEqual([
      'mine/big',
      [{ type: 'text', text: 'second.' }],
    ]);
    await harness.switchModel({ modelId: 'mine/big', scope: 'thread' });
    expect(await answer(harness)).toEqual([{ type: 'text', text: 'mine/big.' }]);
    await harness.destroy();
    const again = open();
    await again.switchThread({ threadId: id });
    expect(await answer(again)).toEqual([{ type: 'text', text: 'mine/big.' }]);
    await again.destroy();
  });

  it('chosen for a mode that was used before apply when it is used again', async () => {
    const { harness } = twoModes();
    await harness.createThread();
    await harness.switchMode({ modeId: 'plan' });
    await harness.switchModel({ modelId: 'a/next', modeId: 'build' });
    expect(harness.getCurrentModelId()).toBe('a/plan');
    await harness.switchMode({ modeId: 'build' });
    expect(harness.getCurrentModelId()).toBe('a/next');
    await harness.switchMode({ modeId: 'plan' });
    await harness.switchMode({ modeId: 'build' });
    expect(harness.getCurrentModelId()).toBe('a/next');
  });

  it('are created by resolveModel for an agent without a registry', async () => {
    const made: string[] = [];
    const resolveModel = (modelId: string) => {
      made.push(modelId);
      return scriptedModel(['Made.']);
    };
    const modes = [{ id: 'm', defaultModelId: 'mine/big', agent: loopAgent({ model: 'other/small' }) }];
    const { harness } = watch(new Harness({ id: 'h', modes, resolveModel }));
    await harness.sendMessage({ content: 'Hi.' });
    expect((await harness.listMessages()).at(-1)?.content).toEqual([{ type: 'text', text: 'Made.' }]);
    expect(made).toEqual(['mine/big']);
  });

  it('are listed with their availability and use count', async () => {
    const { harness } = scene([], {
      initialState: { currentModelId: 'mine/big' },
      modelAuthChecker: provider => (provider === 'mine' ? true : undefined),
      modelUseCountProvider: () => ({ 'mine/big': 3 }),
      customModelCatalogProvider: () => [{ id: 'mine/big', provider: 'mine', modelName: 'big' }],
    });
    const models = await harness.listAvailableModels();
    expect(models.length).toBeGreaterThan(10);
    expect(models.find(({ id }) => id === 'mine/big')).toEqual({
      id: 'mine/big',
      provider: 'mine',
      modelName: 'big',
      hasApiKey: true,
      useCount: 3,
    });
    expect(await harness.getCurrentModelAuthStatus()).toEqual({ hasAuth: true });
    await harness.switchModel({ modelId: 'anthropic/claude-sonnet-4' });
    expect(await harness.getCurrentModelAuthStatus()).toMatchObject({ apiKeyEnvVar: 'ANTHROPIC_API_KEY' });
  });
});
