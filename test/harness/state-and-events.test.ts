import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { scriptByStep } from '../../src/agents/model/scripted/script.ts';
import {
  Harness,
  type HarnessDisplayState,
  type HarnessRequestContext,
  type HarnessTool,
  type HarnessToolContext,
  RequestContext,
  taskWriteTool,
} from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { calls, echo, scene, watch, yolo } from './scene.ts';

const todo = { id: 'task_a', content: 'A', status: 'pending' as const, activeForm: 'A' };

describe('the state', () => {
  it('has defaults, accepts updates, and reports the set keys', async () => {
    const harness = new Harness({
      id: 'h',
      stateSchema: z.object({ count: z.number().default(1), name: z.string().optional() }),
      initialState: { name: 'x' },
      modes: scene([]).harness.listModes(),
    });
    const events: unknown[] = [];
    harness.subscribe(event => void (event.type === 'state_changed' && events.push(event)));
    expect(harness.getState()).toEqual({ count: 1, name: 'x' });
    await harness.setState({ count: 2, name: 'x' });
    expect(events).toEqual([{ type: 'state_changed', state: { count: 2, name: 'x' }, changedKeys: ['count', 'name'] }]);
    await expect(harness.setState({ count: 'many' as never })).rejects.toThrow('Invalid state update: count');
    expect(harness.getState()).toEqual({ count: 2, name: 'x' });
  });

  it('is read and changed by tools, with the request context', async () => {
    const tool = {
      description: 'counts',
      execute: async (_: unknown, context?: { requestContext?: { get(key: string): unknown } }) => {
        const harness = context?.requestContext?.get('harness') as {
          harnessId: string;
          threadId: string;
          resourceId: string;
          getState(): { count?: number };
          setState(updates: object): Promise<void>;
          updateState(updater: (state: { count?: number }) => object): Promise<unknown>;
          emitEvent(event: object): void;
        };
        await harness.setState({ count: 1 });
        const result = await harness.updateState(state => ({
          updates: { count: (state.count ?? 0) + 1 },
          events: [{ type: 'info', message: 'counted' }],
          result: 'counted',
        }));
        harness.emitEvent({ type: 'info', message: 'done' });
        return [result, harness.getState().count, context?.requestContext?.get('who'), typeof harness.threadId];
      },
    };
    const { harness, of } = scene([[calls('count')], 'Done.'], { tools: () => ({ count: tool }), ...yolo });
    await harness.sendMessage({ content: 'Go.', requestContext: new RequestContext([['who', 'me']]) });
    expect(of('tool_end')).toMatchObject([{ result: ['counted', 2, 'me', 'string'] }]);
    expect(of('info').map(({ message }) => message)).toEqual(['counted', 'done']);
    expect(harness.getState()).toMatchObject({ count: 2 });
  });
});

describe('tools of the harness', () => {
  it('may be undefined for a request', async () => {
    const { harness, model } = scene(() => 'Hi.', {
      tools: ({ requestContext }) => (requestContext.get('with') === true ? { echo } : undefined),
    });
    await harness.sendMessage({ content: 'Hi.' });
    await harness.sendMessage({ content: 'Hi.', requestContext: new RequestContext([['with', true]]) });
    expect(model.requests.map(({ toolNames }) => toolNames.includes('echo'))).toEqual([false, true]);
  });

  it('receive the context of a message that came while the run was starting, or too late for it', async () => {
    const seen: unknown[] = [];
    const peek: HarnessTool = {
      execute: (_, context) => void seen.push(context?.requestContext?.get('who')),
    };
    const { harness, of } = scene([[calls('peek')], 'Hi.', [calls('peek')], 'Bye.'], { tools: { peek }, ...yolo });
    const from = (who: string) => ({ content: who, requestContext: new RequestContext([['who', who]]) });
    const sending = harness.sendMessage({ content: 'Hello' });
    void harness.sendMessage(from('early'));
    harness.subscribe(event => {
      if (event.type === 'message_end' && event.message.role === 'assistant' && of('agent_end').length === 0)
        void harness.sendMessage(from('late'));
    });
    await sending;
    await expect.poll(() => of('agent_end').length).toBe(2);
    expect(seen).toEqual(['early', 'late']);
  });

  it('may emit unknown or invalid events: the harness continues', async () => {
    const tool = {
      description: 'tells',
      execute: (_: unknown, context?: HarnessToolContext) => {
        const of = context?.requestContext?.get('harness') as HarnessRequestContext;
        for (const event of [{ type: 'my_custom' }, { type: 'usage_update' }, undefined])
          of.emitEvent?.(event as never);
        return 'told';
      },
    };
    const { harness, of } = scene([[calls('tell')], 'Done.'], { tools: { tell: tool }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('my_custom' as 'info')).toEqual([{ type: 'my_custom' }]);
    expect(of('error').map(({ errorType }) => errorType)).toEqual(['invalid_event', 'invalid_event']);
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'complete' }]);
    expect(harness.getDisplayState().isRunning).toBe(false);
  });
});

describe('tasks', () => {
  it('are changed by the built-in tools, and shown', async () => {
    const { harness, of } = scene(
      [
        [calls('task_write', { tasks: [todo, { ...todo, id: 'task_b', content: 'B' }] })],
        [calls('task_update', { id: 'task_b', status: 'in_progress' })],
        [calls('task_complete', { id: 'task_a' })],
        [calls('task_check')],
        'Done.',
      ],
      yolo,
    );
    await harness.sendMessage({ content: 'Go.' });
    const statuses = of('task_updated').map(({ tasks }) => tasks.map(({ status }) => status).join());
    expect(statuses).toEqual(['pending,pending', 'pending,in_progress', 'completed,in_progress']);
    expect(harness.getDisplayState().tasks.map(({ status }) => status)).toEqual(['completed', 'in_progress']);
    expect(harness.getDisplayState().previousTasks.map(({ status }) => status)).toEqual(['pending', 'in_progress']);
    expect(of('tool_end').at(-1)?.result).toMatchObject({ summary: { total: 2, completed: 1 }, isError: false });
    expect(harness.getState().tasks).toEqual(harness.getDisplayState().tasks);
  });

  it('that are set in the state are used by the tools, and stored in the thread', async () => {
    const { harness, of } = scene([[calls('task_complete', { id: 'task_a' })], 'Done.'], yolo);
    const { id } = await harness.createThread();
    await harness.setState({ tasks: [todo] });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')).toMatchObject([{ result: { tasks: [{ ...todo, status: 'completed' }] } }]);
    await harness.createThread();
    await harness.switchThread({ threadId: id });
    expect(harness.getDisplayState().tasks).toEqual([{ ...todo, status: 'completed' }]);
  });

  it.each([
    ['at construction', { ...yolo.initialState, tasks: [todo] }, undefined],
    ['before the first message', yolo.initialState, { tasks: [todo] }],
  ])('that are set %s belong to the new thread', async (_, initialState, updates) => {
    const storage = new MemoryLog();
    const { harness, of } = scene([[calls('task_check')], 'Done.'], { storage, initialState });
    if (updates !== undefined) await harness.setState(updates);
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_end')).toMatchObject([{ result: { tasks: [todo], summary: { total: 1 } } }]);
    expect(harness.getState().tasks).toEqual([todo]);
    expect(harness.getDisplayState()).toMatchObject({ tasks: [todo], previousTasks: [] });
    expect(of('task_updated')).toEqual([]);
    const second = scene([], { storage }).harness;
    await second.selectOrCreateThread();
    expect([second.getState().tasks, second.getDisplayState().tasks]).toEqual([[todo], [todo]]);
  });

  it('that are set before a thread is open do not replace those of a thread that has its own, nor of a second one', async () => {
    const storage = new MemoryLog();
    const { id: threadId } = await scene([], { storage }).harness.createThread();
    const open = () => scene([], { storage, initialState: { tasks: [todo] } }).harness;
    for (const enter of [
      (harness: Harness) => harness.switchThread({ threadId }),
      (harness: Harness) => harness.cloneThread({ sourceThreadId: threadId }),
      (harness: Harness) => harness.createThread().then(() => harness.createThread()),
    ]) {
      const harness = open();
      await enter(harness);
      expect([harness.getState().tasks, harness.getDisplayState().tasks]).toEqual([undefined, []]);
    }
  });

  it('are those that were set last, also when they equal earlier ones and no caller waits', async () => {
    const storage = new (class extends MemoryLog {
      override async append(...args: Parameters<MemoryLog['append']>) {
        await new Promise(setImmediate);
        return super.append(...args);
      }
    })();
    const { harness } = scene([], { storage });
    await harness.createThread();
    await harness.setState({ tasks: [todo] });
    await Promise.all([harness.setState({ tasks: [] }), harness.setState({ tasks: [todo] })]);
    expect([harness.getState().tasks, harness.getDisplayState().tasks]).toEqual([[todo], [todo]]);
    const lists = [[{ ...todo, content: 'B' }], [{ ...todo, content: 'C' }], [todo], []];
    await Promise.all(lists.map(tasks => harness.setState({ tasks })));
    expect([harness.getState().tasks, harness.getDisplayState().tasks]).toEqual([undefined, []]);
    const second = scene([], { storage }).harness;
    await second.selectOrCreateThread();
    expect([second.getState().tasks, second.getDisplayState().tasks]).toEqual([undefined, []]);
  });

  it('are cleared when the thread is closed', async () => {
    const { harness } = scene([]);
    for (const leave of [
      (threadId: string) => harness.memory.deleteThread({ threadId }),
      () => harness.setResourceId({ resourceId: 'another' }),
    ]) {
      const { id } = await harness.createThread();
      await harness.setState({ tasks: [todo] });
      await leave(id);
      expect(harness.getState().tasks).toBe(undefined);
      await harness.createThread();
      expect(harness.getState().tasks).toBe(undefined);
      expect(harness.getDisplayState().tasks).toEqual([]);
    }
  });

  it('that an application restores are stored and shown, without task_updated', async () => {
    const storage = new MemoryLog();
    const { harness, of } = scene([], { storage });
    await harness.createThread();
    await harness.setState({ tasks: [todo] });
    const shown = of('display_state_changed').length;
    harness.restoreDisplayTasks([todo]);
    expect(of('display_state_changed')).toHaveLength(shown + 1);
    expect(of('state_changed').at(-1)).toMatchObject({ changedKeys: ['tasks'], state: { tasks: [todo] } });
    expect(of('task_updated')).toEqual([]);
    expect(harness.getDisplayState()).toMatchObject({ tasks: [todo], previousTasks: [] });
    const second = scene([[calls('task_complete', { id: todo.id })], 'Done.'], { storage, ...yolo });
    await second.harness.selectOrCreateThread();
    expect(second.harness.getState().tasks).toEqual([todo]);
    expect(second.harness.getDisplayState()).toMatchObject({ tasks: [todo], previousTasks: [] });
    await second.harness.sendMessage({ content: 'Go.' });
    expect(second.of('task_updated')).toMatchObject([{ tasks: [{ status: 'completed' }] }]);
    expect(second.harness.getDisplayState().previousTasks).toEqual([todo]);
  });

  it('are updated by a task tool that is passed as a harness tool', async () => {
    const script = [[calls('my_tasks', { tasks: [todo] })], 'Done.'];
    const { harness, of } = scene(script, { tools: { my_tasks: taskWriteTool }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('task_updated')).toEqual([{ type: 'task_updated', tasks: [todo] }]);
    expect(harness.getDisplayState()).toMatchObject({ tasks: [todo], previousTasks: [] });
  });

  it('that are restored are only shown', () => {
    const { harness, lines, of } = scene([]);
    harness.restoreDisplayTasks([todo]);
    expect(harness.getDisplayState().tasks).toEqual([todo]);
    expect(lines()).toEqual([]);
    expect(of('display_state_changed')).toHaveLength(1);
  });
});

describe('listeners', () => {
  it('receive each event and then the display state, in one order, also of events they cause', async () => {
    const { harness } = scene(['Hi.']);
    const seen: string[][] = [[], []];
    const stop = harness.subscribe(event => {
      seen[0]?.push(event.type);
      if (event.type === 'agent_start') harness.setPermissionForTool({ toolName: 'x', policy: 'deny' });
    });
    harness.subscribe(event => void seen[1]?.push(event.type));
    await harness.sendMessage({ content: 'Hi.' });
    expect(seen[0]).toEqual(seen[1]);
    const at = seen[1]?.indexOf('agent_start') ?? 0;
    expect(seen[1]?.slice(at, at + 4)).toEqual([
      'agent_start',
      'display_state_changed',
      'state_changed',
      'display_state_changed',
    ]);
    stop();
    const count = seen[0]?.length;
    await harness.createThread();
    expect(seen[0]).toHaveLength(count as number);
  });

  it('of the display receive whole states, at once after critical events', async () => {
    const { harness } = scene(['Hi.']);
    const states: HarnessDisplayState[] = [];
    const stop = harness.subscribeDisplayState(state => void states.push(state), { windowMs: 10, maxWaitMs: 20 });
    expect(states).toEqual([]);
    await harness.sendMessage({ content: 'Hi.' });
    expect(states.at(-1)).toBe(harness.getDisplayState());
    expect(states.map(({ isRunning }) => isRunning)).toContain(true);
    stop();
    const count = states.length;
    await harness.createThread();
    expect(states).toHaveLength(count);
  });
});

describe('tool progress', () => {
  it('is emitted while tools run', async () => {
    const { defineTool } = await import('../../src/agents/tool-definition/define-tool.ts');
    const shell = defineTool({
      name: 'shell',
      description: 'runs',
      input: z.object({}),
      execute: async (_, { progress, emit }) => {
        progress({ stream: 'stdout', output: 'hello' });
        await emit({ type: 'custom', name: 'x', data: 1 } as never);
        progress({ percent: 50 });
        await emit({ type: 'warning', message: 'careful' });
        return 'ok';
      },
    });
    const { harness, of } = scene([[calls('shell')], 'Done.'], { tools: { shell }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('shell_output')).toMatchObject([{ output: 'hello', stream: 'stdout' }]);
    expect(of('tool_update')).toMatchObject([{ partialResult: { percent: 50 } }]);
    expect(of('info')).toMatchObject([{ message: 'careful' }]);
  });
});

describe('usage', () => {
  it('is emitted for each step, and summed for the thread', async () => {
    const script = scriptByStep([[calls('echo', { value: 'a' })], 'Done.']);
    const { harness, of } = scene(script, { tools: { echo }, ...yolo });
    await harness.sendMessage({ content: 'Go.' });
    await harness.sendMessage({ content: 'Go.' });
    const total = of('usage_update').reduce((sum, { usage }) => sum + usage.totalTokens, 0);
    expect(of('usage_update')).toHaveLength(4);
    expect(harness.getTokenUsage().totalTokens).toBe(total);
    expect((await harness.listThreads())[0]?.tokenUsage?.totalTokens).toBe(total);
  });
});

describe('heartbeats', () => {
  it('run from init until destroy', async () => {
    const beats: string[] = [];
    const beat = (id: string) => ({
      id,
      intervalMs: 100_000,
      handler: () => void beats.push(id),
      shutdown: () => void beats.push(`${id} ends`),
    });
    const { harness } = scene([], { heartbeatHandlers: [beat('a')] });
    expect(beats).toEqual([]);
    await harness.init();
    await harness.init();
    harness.registerHeartbeat(beat('b'));
    harness.registerHeartbeat(beat('c'));
    expect(beats).toEqual(['a', 'b', 'c']);
    await harness.removeHeartbeat({ id: 'b' });
    await harness.stopHeartbeats();
    await harness.destroy();
    expect(beats).toEqual(['a', 'b', 'c', 'b ends', 'a ends', 'c ends']);
  });

  it('that fail emit errors', async () => {
    const handler = () => {
      throw new Error('no pulse');
    };
    const { harness, on } = scene([], { heartbeatHandlers: [{ id: 'a', intervalMs: 100_000, handler }] });
    await harness.init();
    expect((await on('error')).error.message).toBe('no pulse');
    await harness.destroy();
  });

  it.each<[string, (harness: Harness) => Promise<void>]>([
    ['themselves', harness => harness.removeHeartbeat({ id: 'a' })],
    ['all of them', harness => harness.stopHeartbeats()],
    ['the harness', harness => harness.destroy()],
  ])(
    'may end %s',
    async (_, end) => {
      const { harness, of } = scene([]);
      await new Promise<void>(shutdown => {
        const handler = () => end(harness);
        harness.registerHeartbeat({ id: 'a', intervalMs: 100_000, handler, shutdown });
      });
      await harness.destroy();
      expect(of('error')).toEqual([]);
    },
    4_000,
  );
});

describe('an unsupported option', () => {
  it.each([
    ['browser', 'pass browser tools as `tools`'],
    ['pubsub', 'use `subscribe`'],
    ['observability', 'read the events of the log'],
  ])('is rejected at construction, by name and with what to use instead: %s', (option, instead) => {
    const message = `The option \`${option}\` of a harness is not supported: `;
    const error = expect.objectContaining({
      code: 'not_supported',
      message: expect.stringMatching(new RegExp(`^${message}.*${instead}`)) as string,
    }) as Error;
    expect(() => scene([], { [option]: {} })).toThrow(error);
  });

  it('is reported by the methods that concern it', async () => {
    const { harness } = scene([]);
    expect(harness.hasWorkspace()).toBe(false);
    expect(harness.isWorkspaceReady()).toBe(false);
    expect(harness.getWorkspace()).toBe(undefined);
    expect(await harness.resolveWorkspace()).toBe(undefined);
    await harness.destroyWorkspace();
    expect(harness.getMastra()).toBe(undefined);
    expect(await harness.getResolvedMemory()).toBe(null);
    harness.setBrowser(undefined);
    expect(() => harness.setBrowser({})).toThrow(expect.objectContaining({ code: 'not_supported' }) as Error);
  });
});

describe('observational memory', () => {
  it('has no record yet; its models and thresholds can be chosen', async () => {
    const { harness, of } = scene([], {
      resolveModel: modelId => ({ specificationVersion: 'v3', modelId }) as never,
      omConfig: {
        defaultObserverModelId: 'a/o',
        defaultReflectorModelId: 'a/r',
        defaultObservationThreshold: 10,
        defaultReflectionThreshold: 20,
      },
    });
    await harness.createThread();
    await harness.loadOMProgress();
    expect(await harness.getObservationalMemoryRecord()).toBe(null);
    expect([harness.getObserverModelId(), harness.getReflectorModelId()]).toEqual(['a/o', 'a/r']);
    expect([harness.getObservationThreshold(), harness.getReflectionThreshold()]).toEqual([10, 20]);
    await harness.switchObserverModel({ modelId: 'b/o' });
    await harness.switchReflectorModel({ modelId: 'b/r' });
    await harness.setState({ observationThreshold: 30, reflectionThreshold: 40 });
    expect([harness.getObserverModelId(), harness.getReflectorModelId()]).toEqual(['b/o', 'b/r']);
    expect([harness.getObservationThreshold(), harness.getReflectionThreshold()]).toEqual([30, 40]);
    expect(of('om_model_changed')).toEqual([
      { type: 'om_model_changed', role: 'observer', modelId: 'b/o' },
      { type: 'om_model_changed', role: 'reflector', modelId: 'b/r' },
    ]);
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({
      observerModelId: 'b/o',
      reflectorModelId: 'b/r',
    });
    expect(await harness.getResolvedObserverModel()).toMatchObject({ modelId: 'b/o' });
    expect(await harness.getResolvedReflectorModel()).toMatchObject({ modelId: 'b/r' });
    expect(await watch(scene([]).harness).harness.getResolvedObserverModel()).toBe(undefined);
  });
});
