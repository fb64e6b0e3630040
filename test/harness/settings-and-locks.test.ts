import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Harness, type HarnessConfig } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { anyModel, calls, echo, scene, yolo } from './scene.ts';

const modes = () => scene([]).harness.listModes();

describe('settings and locks', () => {
  it('two permission writes in one tick both take effect; setters are safe to call without await', async () => {
    const { harness, of, model } = scene([[calls('b'), calls('a')], 'Done.'], {
      tools: { a: echo, b: { ...echo, inputSchema: z.object({}), execute: () => 'ran' } },
    });
    harness.setPermissionForTool({ toolName: 'a', policy: 'deny' });
    harness.setPermissionForTool({ toolName: 'b', policy: 'allow' });
    harness.setPermissionForCategory({ category: 'edit', policy: 'ask' });
    expect(harness.getPermissionRules()).toEqual({ categories: { edit: 'ask' }, tools: { a: 'deny', b: 'allow' } });
    await harness.sendMessage({ content: 'Go.' });
    expect(of('tool_approval_required')).toEqual([]);
    expect(of('tool_end').map(({ result }) => result)).toContain('ran');
    expect(model.requests[0]?.toolNames).not.toContain('a');
  });

  it('a stateSchema that does not list the keys of the harness cannot drop deny rules, yolo and the chosen model', async () => {
    const harness = new Harness({
      id: 'h',
      modes: modes(),
      stateSchema: z.object({ own: z.number().default(1) }),
    });
    harness.setPermissionForTool({ toolName: 'a', policy: 'deny' });
    await harness.setState({ yolo: true, currentModelId: 'a/b', own: 2 });
    expect(harness.getState()).toEqual({
      own: 2,
      yolo: true,
      currentModelId: 'a/b',
      permissionRules: { categories: {}, tools: { a: 'deny' } },
    });
    expect(harness.getPermissionRules().tools).toEqual({ a: 'deny' });
  });

  it('a strict schema is no trouble, and an initialState that does not conform is a clear error at construction', async () => {
    const stateSchema = z.strictObject({ own: z.number().default(1) });
    const withModel = [
      {
        id: 'm',
        defaultModelId: 'a/b',
        agent: () => {
          throw new Error('unused');
        },
      },
    ];
    const harness = new Harness({ id: 'h', modes: withModel, stateSchema });
    await harness.init();
    expect(harness.getCurrentModelId()).toBe('a/b');
    const wrong = () => new Harness({ id: 'h', modes: withModel, stateSchema, initialState: { own: 'x' as never } });
    expect(wrong).toThrow('The initialState does not conform to the stateSchema: own');
  });

  it('locks are released on every path: destroy, setResourceId, missing thread, same thread', async () => {
    const held = new Set<string>();
    const acquired: string[] = [];
    const threadLock: HarnessConfig['threadLock'] = {
      acquire: id => {
        if (held.has(id)) throw new Error('held');
        held.add(id);
        acquired.push(id);
      },
      release: id => void held.delete(id),
    };
    const { harness } = scene([], { threadLock });
    const { id } = await harness.createThread();
    await expect(harness.switchThread({ threadId: 'missing' })).rejects.toThrow('Thread not found');
    expect([[...held], acquired]).toEqual([[id], [id]]);
    await harness.switchThread({ threadId: id });
    await harness.selectOrCreateThread();
    expect([...held]).toEqual([id]);
    harness.setResourceId({ resourceId: 'other' });
    await expect.poll(() => [...held]).toEqual([]);
    const second = await harness.createThread();
    expect([...held]).toEqual([second.id]);
    await harness.destroy();
    expect([...held]).toEqual([]);
  });

  it('tasks are per thread', async () => {
    const task = { content: 'A', status: 'pending', activeForm: 'A' };
    const script = ({ index }: { index: number }) =>
      [[calls('task_write', { tasks: [task] })], 'Done.', [calls('task_check')], 'Done.'][index] ?? '';
    const { harness, of } = scene(script, yolo);
    await harness.sendMessage({ content: 'Go.' });
    const first = harness.getCurrentThreadId() as string;
    expect(harness.getState().tasks).toHaveLength(1);
    await harness.createThread();
    expect([harness.getState().tasks, harness.getDisplayState().tasks]).toEqual([undefined, []]);
    await harness.sendMessage({ content: 'Check.' });
    expect(of('tool_end').at(-1)?.result).toMatchObject({ tasks: [] });
    await harness.switchThread({ threadId: first });
    expect(harness.getState().tasks).toMatchObject([task]);
  });

  it.each([
    ['createThread', (harness: Harness) => harness.createThread()],
    ['sendMessage', (harness: Harness) => harness.sendMessage({ content: 'Hi.' })],
  ])('init is implied by %s', async (_, first) => {
    const beats: string[] = [];
    const heartbeatHandlers = [{ id: 'a', intervalMs: 100_000, handler: () => void beats.push('a') }];
    const { harness } = scene(['Hi.'], { heartbeatHandlers });
    await first(harness);
    expect(beats).toEqual(['a']);
    await harness.init();
    expect(beats).toEqual(['a']);
    await harness.destroy();
  });

  it('the temperature of the run is unchanged unless set', async () => {
    const temperatures: unknown[] = [];
    const { scriptedModel } = await import('../../src/agents/model/scripted/scripted-model.ts');
    const { loopAgent } = await import('../../src/agents/loop/loop-agent.ts');
    for (const settings of [{}, { temperature: 0.3 }]) {
      const model = scriptedModel(['Hi.']);
      const stream = model.doStream.bind(model);
      model.doStream = call => {
        temperatures.push(call.temperature);
        return stream(call);
      };
      const harness = new Harness({ id: 'h', modes: [{ id: 'm', agent: loopAgent({ model, settings }) }] });
      await harness.sendMessage({ content: 'Hi.' });
    }
    expect(temperatures).toEqual([undefined, 0.3]);
  });

  it('switchModel without scope is for the session only; scope thread persists', async () => {
    const { harness } = scene([], { storage: new MemoryLog(), ...anyModel });
    await harness.createThread();
    await harness.switchModel({ modelId: 'a/session' });
    expect(harness.getCurrentModelId()).toBe('a/session');
    expect((await harness.listThreads())[0]?.metadata).toEqual({ currentModeId: 'main' });
    await harness.switchModel({ modelId: 'a/kept', scope: 'thread' });
    expect((await harness.listThreads())[0]?.metadata).toMatchObject({ modeModelId_main: 'a/kept' });
  });
});
