import { describe, expect, expectTypeOf, it } from 'vitest';
import { Memory } from '../../src/agents/memory/memory.ts';
import { scriptedModel } from '../../src/agents/model/scripted/scripted-model.ts';
import type { ScriptedRequest } from '../../src/agents/model/scripted/scripted-request.ts';
import { type HarnessEvent, RequestContext } from '../../src/control/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { observe, reflect, smallLimits } from '../support/memory-scene.ts';
import { gate, scene, type Scene, type SceneOptions } from './scene.ts';

/** A harness with a memory whose models are found by id. */
function remembering(options: SceneOptions & { readonly observer?: (request: ScriptedRequest) => string } = {}) {
  const { observer = observe, ...config } = options;
  const asked: string[] = [];
  const made = scene(({ lastUserText }) => `More about ${lastUserText}. ${'word '.repeat(60)}`, {
    memory: new Memory({ ...smallLimits, retry: { maxRetries: 0 } }),
    omConfig: { defaultObserverModelId: 'test/observer', defaultReflectorModelId: 'test/reflector' },
    resolveModel: modelId => {
      asked.push(modelId);
      if (modelId.includes('broken')) return scriptedModel(() => 'I like turtles.');
      return scriptedModel(modelId.includes('reflector') ? reflect : observer);
    },
    ...config,
  });
  return { ...made, asked };
}

/** Sends messages; waits for the observers of each. */
async function talk({ harness, of }: Scene, from: number, to: number): Promise<void> {
  for (let turn = from; turn <= to; turn++) {
    await harness.sendMessage({ content: `Tell me of topic-${turn}.` });
    await ended({ of });
  }
}

async function ended({ of }: Pick<Scene, 'of'>): Promise<void> {
  const open = () =>
    of('om_buffering_start').length - of('om_buffering_end').length - of('om_buffering_failed').length > 0;
  while (open()) await new Promise(setImmediate);
}

describe('observational memory', () => {
  it('emits buffering, activation and, after each step, its status', async () => {
    const made = remembering();
    const { harness, of } = made;
    await talk(made, 1, 8);
    const [start] = of('om_buffering_start');
    const [end] = of('om_buffering_end');
    expect(start).toMatchObject({ operationType: 'observation', tokensToBuffer: expect.any(Number) as number });
    expect(end).toMatchObject({
      cycleId: start?.cycleId,
      operationType: 'observation',
      tokensBuffered: start?.tokensToBuffer,
      observations: expect.stringContaining('topic-1') as string,
    });
    const [activation] = of('om_activation');
    expect(activation).toMatchObject({
      operationType: 'observation',
      chunksActivated: expect.any(Number) as number,
      generationCount: 0,
      triggeredBy: 'threshold',
    });
    expect(activation?.messagesActivated).toBeGreaterThan(1);
    const threadId = harness.getCurrentThreadId();
    expect(of('om_status')).toHaveLength(8);
    const last = of('om_status').at(-1);
    expect(last).toMatchObject({ threadId, recordId: `om:${threadId}`, stepNumber: 0, generationCount: 0 });
    expect(last?.windows.active.messages).toMatchObject({ threshold: 600 });
    expect(last?.windows.active.observations.tokens).toBeGreaterThan(0);
    expect(harness.getDisplayState().omProgress).toMatchObject({
      status: 'idle',
      threshold: 600,
      pendingTokens: last?.windows.active.messages.tokens,
      observationTokens: last?.windows.active.observations.tokens,
    });
    expect(harness.getDisplayState()).toMatchObject({ bufferingMessages: false, isRunning: false });
    expect(harness.getTokenUsage().completionTokens).toBeLessThan(8 * 80);
    await harness.destroy();
  });

  it('emits an observation that a run waits for', async () => {
    const { harness, of, on } = remembering();
    const seen = on('om_observation_start').then(() => harness.getDisplayState().omProgress.status);
    await harness.sendMessage({ content: `${'long '.repeat(1_000)} topic-1` });
    expect(await seen).toBe('observing');
    const [start] = of('om_observation_start');
    expect(of('om_observation_end')).toMatchObject([
      {
        cycleId: start?.cycleId,
        tokensObserved: start?.tokensToObserve,
        observations: expect.stringContaining('topic-1') as string,
        currentTask: 'Talk about topic-1',
        suggestedResponse: 'Say more of topic-1',
      },
    ]);
    expect(of('om_observation_end')[0]?.durationMs).toBeGreaterThanOrEqual(0);
    const [, answer] = await harness.listMessages();
    expect(answer?.content).toMatchObject([
      { type: 'om_observation_start', operationType: 'observation', tokensToObserve: start?.tokensToObserve },
      {
        type: 'om_observation_end',
        operationType: 'observation',
        tokensObserved: start?.tokensToObserve,
        observations: expect.stringContaining('topic-1') as string,
        currentTask: 'Talk about topic-1',
      },
      { type: 'text' },
    ]);
    expect(of('message_end').at(-1)?.message.content).toEqual(answer?.content);
    await harness.destroy();
  });

  it('emits a failed observation, and the run completes', async () => {
    const { harness, of } = remembering({ observer: () => 'I like turtles.' });
    await harness.sendMessage({ content: `${'long '.repeat(1_000)} topic-1` });
    expect(of('om_observation_failed')).toMatchObject([{ error: 'The observer returned no observations.' }]);
    expect(of('agent_end')).toEqual([{ type: 'agent_end', reason: 'complete' }]);
    expect(of('error')).toEqual([]);
    expect(harness.getDisplayState().omProgress.status).toBe('idle');
    expect((await harness.listMessages())[1]?.content).toMatchObject([
      { type: 'om_observation_start' },
      { type: 'om_observation_failed', error: 'The observer returned no observations.' },
      { type: 'text' },
    ]);
    await harness.destroy();
  });

  it('emits a failed buffering', async () => {
    const made = remembering({ observer: () => '' });
    await talk(made, 1, 4);
    expect(made.of('om_buffering_failed')[0]).toMatchObject({ operationType: 'observation' });
    expect(made.harness.getDisplayState().bufferingMessages).toBe(false);
    await made.harness.destroy();
  });

  it('emits a reflection that a run waits for, and a failed one', async () => {
    const made = remembering({
      memory: new Memory({
        ...smallLimits,
        retry: { maxRetries: 0 },
        reflection: { threshold: 150, bufferAt: 1, blockAfter: 1 },
      }),
    });
    await talk(made, 1, 25);
    const [start] = made.of('om_reflection_start');
    expect(start?.tokensToReflect).toBeGreaterThanOrEqual(150);
    const end = made.of('om_reflection_end').at(0);
    expect(end).toMatchObject({ cycleId: start?.cycleId, observations: expect.stringContaining('All of') as string });
    expect(
      made
        .of('om_activation')
        .filter(({ operationType }) => operationType === 'reflection')
        .at(-1),
    ).toMatchObject({
      generationCount: made.harness.getDisplayState().omProgress.generationCount,
    });
    const failing = remembering({
      memory: new Memory({ ...smallLimits, reflection: { threshold: 150, bufferAt: 1, blockAfter: 1 } }),
      omConfig: { defaultObserverModelId: 'test/observer', defaultReflectorModelId: 'test/broken' },
    });
    await talk(failing, 1, 25);
    expect(failing.of('om_reflection_failed').length).toBeGreaterThan(0);
    await made.harness.destroy();
    await failing.harness.destroy();
  });

  it('has a record, which a clone carries and a restart restores', async () => {
    const storage = new MemoryLog();
    const made = remembering({ storage });
    const { harness } = made;
    expect(await harness.getObservationalMemoryRecord()).toBe(null);
    await harness.createThread();
    expect(await harness.getObservationalMemoryRecord()).toBe(null);
    await talk(made, 1, 8);
    const record = await harness.getObservationalMemoryRecord();
    expect(record).toMatchObject({
      threadId: harness.getCurrentThreadId(),
      resourceId: 'harness',
      scope: 'thread',
      activeObservations: expect.stringContaining('topic-1') as string,
      generationCount: 0,
      currentTask: expect.stringContaining('Talk about topic-') as string,
      config: { observationThreshold: 600, observerModelId: 'test/observer' },
    });
    expect(record?.observationTokenCount).toBeGreaterThan(0);
    const source = harness.getCurrentThreadId() as string;
    const clone = await harness.cloneThread();
    const { id: _id, threadId: _thread, bufferedObservations: _buffered, ...same } = record ?? {};
    const carried = { ...same, id: `om:${clone.id}`, threadId: clone.id };
    expect(await harness.getObservationalMemoryRecord()).toMatchObject(carried);
    const ids = (await harness.listMessages()).map(({ id }) => id.split(':')[0]);
    expect(ids).toContain(record?.lastObservedMessageId?.split(':')[0]);
    await talk(made, 9, 14);
    expect((await harness.getObservationalMemoryRecord())?.activeObservations).toContain('topic-9');
    await harness.switchThread({ threadId: source });
    expect((await harness.getObservationalMemoryRecord())?.activeObservations).toBe(record?.activeObservations);
    await harness.destroy();

    const restarted = remembering({ storage });
    await restarted.harness.switchThread({ threadId: source });
    expect(await restarted.harness.getObservationalMemoryRecord()).toMatchObject({ ...same, threadId: source });
    const { omProgress } = restarted.harness.getDisplayState();
    expect(omProgress).toMatchObject({ threshold: 600, observationTokens: record?.observationTokenCount });
    expect(omProgress.pendingTokens).toBeGreaterThan(0);
    await restarted.harness.loadOMProgress();
    expect(restarted.harness.getDisplayState().omProgress).toEqual(omProgress);
    const [status] = restarted.of('om_status');
    expect(status?.windows.active.observations.tokens).toBe(record?.observationTokenCount);
    expect(restarted.harness.getDisplayState().omProgress.pendingTokens).toBeGreaterThan(0);
    await restarted.harness.destroy();
  });

  it('has the observations of other threads of the resource with that scope', async () => {
    const made = remembering({ memory: new Memory({ ...smallLimits, scope: 'resource' }) });
    const { harness, model } = made;
    await harness.createThread();
    await talk(made, 1, 8);
    await harness.createThread();
    await talk(made, 9, 9);
    expect(model.requests.at(-1)?.messages[0]?.text).toMatch(/^Observations of other conversations.*topic-1 /s);
    const own = await harness.getObservationalMemoryRecord();
    expect(own).toMatchObject({ scope: 'resource', activeObservations: '' });
    harness.setResourceId({ resourceId: 'somebody-else' });
    await talk(made, 15, 15);
    expect(model.requests.at(-1)?.messages[0]?.text).not.toContain('topic-1 ');
    await harness.destroy();
  });

  it('takes its models and thresholds from the state, the thread and the config', async () => {
    const storage = new MemoryLog();
    const made = remembering({
      storage,
      omConfig: { defaultObserverModelId: 'a/o', defaultObservationThreshold: 300 },
    });
    const { harness, of, asked } = made;
    await talk(made, 1, 2);
    expect(of('om_status').at(-1)?.windows.active.messages.threshold).toBe(300);
    expect(asked).toContain('a/o');
    await harness.switchObserverModel({ modelId: 'b/o' });
    await harness.setState({ observationThreshold: 200, reflectionThreshold: 900 });
    expect(of('state_changed').at(-1)?.changedKeys).toEqual(['observationThreshold', 'reflectionThreshold']);
    expect(harness.getDisplayState().omProgress).toMatchObject({ threshold: 200, reflectionThreshold: 900 });
    await talk(made, 3, 4);
    expect(of('om_status').at(-1)?.windows.active).toMatchObject({
      messages: { threshold: 200 },
      observations: { threshold: 900 },
    });
    expect(asked).toContain('b/o');
    const threadId = harness.getCurrentThreadId() as string;
    await harness.destroy();

    const restarted = remembering({ storage });
    await restarted.harness.switchThread({ threadId });
    expect(restarted.harness.getObserverModelId()).toBe('b/o');
    expect([restarted.harness.getObservationThreshold(), restarted.harness.getReflectionThreshold()]).toEqual([
      200, 900,
    ]);
    await restarted.harness.destroy();
  });

  it('is made by a factory once, for the first request', async () => {
    const contexts: unknown[] = [];
    const memory = async ({ requestContext }: { readonly requestContext: RequestContext }) => {
      contexts.push(requestContext.get('user'));
      return new Memory(smallLimits);
    };
    const { harness } = remembering({ memory });
    const requestContext = new RequestContext([['user', 'ada']]);
    await harness.sendMessage({ content: 'Hello.', requestContext });
    await harness.sendMessage({ content: 'Hello again.' });
    expect(contexts).toEqual(['ada']);
    expect(await harness.getResolvedMemory()).toBeInstanceOf(Memory);
    await harness.destroy();
  });

  it('reports a factory that returns nothing', async () => {
    const { harness, of } = remembering({ memory: () => undefined as never });
    await expect(harness.getResolvedMemory()).rejects.toThrow('Dynamic memory factory returned empty value');
    await harness.sendMessage({ content: 'Hello.' });
    expect(of('error')[0]?.error.message).toBe('Dynamic memory factory returned empty value');
    await harness.destroy();
  });

  it('reports a factory that returns something else', async () => {
    const { harness } = remembering({ memory: () => ({ observe: true }) as never });
    await expect(harness.getResolvedMemory()).rejects.toThrow(
      'The memory factory of a harness returned an object: expected a `new Memory()` of singletree.',
    );
    await harness.destroy();
  });

  it('has a type of its own for each event', () => {
    type Type = HarnessEvent['type'];
    type Unnamed = { [Each in Type]: [Extract<HarnessEvent, { type: Each }>] extends [never] ? Each : never }[Type];
    expectTypeOf<Unnamed>().toBeNever();
  });

  it('refuses what is no memory, and unknown options of its config', () => {
    for (const options of [{ memory: {} as never }, { omConfig: { threshold: 3 } as never }])
      expect(() => remembering(options)).toThrow(expect.objectContaining({ code: 'invalid_argument' }) as Error);
  });

  it('continues to observe when a run is aborted', async () => {
    const waiting = gate();
    const made = remembering({
      resolveModel: () => ({
        ...scriptedModel(observe),
        doStream: async (options: Parameters<ReturnType<typeof scriptedModel>['doStream']>[0]) => {
          await waiting.opened;
          return scriptedModel(observe).doStream(options);
        },
      }),
    });
    const { harness, of, on } = made;
    await harness.sendMessage({ content: 'Tell me of topic-1.' });
    await harness.sendMessage({ content: 'Tell me of topic-2.' });
    await on('om_buffering_start');
    const sent = harness.sendMessage({ content: 'Tell me of topic-3.' });
    harness.abort();
    await sent;
    expect(of('om_buffering_end')).toEqual([]);
    waiting.open();
    await on('om_buffering_end');
    expect(harness.isRunning()).toBe(false);
    await harness.destroy();
  });
});
