import type { LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf, EventType } from '../../../events/vocabulary.ts';
import { checkOrder } from '../../../events/order.ts';
import { modelAgent } from './model-agent.ts';
import { createModelRegistry } from '../registry/registry.ts';
import { scriptedModel } from '../scripted/scripted-model.ts';
import { runParams, type SetParams } from '../../../../test/support/run-params.ts';

const params = (more?: SetParams) => runParams(more, 'Hi');
async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}
const of = <Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] =>
  events.filter((event): event is EventOf<Type> => event.type === type);

/** A model whose stream is exactly these parts. */
const streaming = (...streams: LanguageModelV3StreamPart[][]) => ({
  ...scriptedModel([]),
  doStream: async () => ({
    stream: new ReadableStream<LanguageModelV3StreamPart>({
      start(controller) {
        for (const part of streams.shift() ?? []) controller.enqueue(part);
        controller.close();
      },
    }),
  }),
});
const finish = (unified: 'stop' | 'error' = 'stop'): LanguageModelV3StreamPart => ({
  type: 'finish',
  finishReason: { unified, raw: unified },
  usage: {
    inputTokens: { total: 10, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: 2, text: undefined, reasoning: undefined },
  },
});

describe('one model call', () => {
  it('rejects invalid options at once', () => {
    const made = (model: unknown, options?: unknown) => () => modelAgent(model as string, options as { id: string });
    expect(made(undefined)).toThrow(
      'The agent "model" was given nothing as `model`: expected a model of specification v2, v3 or v4, or its id',
    );
    expect(made('a/b', { id: 'a', tools: 'a' })).toThrow('The agent "a" was given "a" as `tools`');
    expect(made('a/b', { tool: [] })).toThrow('did you mean `tools`?');
    expect(made('a/b', { tools: [{ name: 'a b' }] })).toThrow('The tool "a b"');
  });

  it('is stopped by a consumer that detaches', async () => {
    let stopped = () => {};
    const isStopped = new Promise<void>(resolve => (stopped = resolve));
    const stream = new ReadableStream<LanguageModelV3StreamPart>({
      pull: controller => controller.enqueue({ type: 'text-delta', id: 't', delta: 'x' }),
      cancel: () => stopped(),
    });
    const agent = modelAgent({ ...scriptedModel([]), doStream: async () => ({ stream }) });
    for await (const event of agent.invoke(params())) if (event.type === 'text') break;
    await isStopped;
  });

  it('streams with an id for each text and reasoning, then the calls, then the usage', async () => {
    const usage = { inputTokens: 9, outputTokens: 8, cacheReadTokens: 7, cacheWriteTokens: 1, reasoningTokens: 5 };
    const parts = [
      { reasoning: 'I think so.' },
      { text: 'Yes it is.' },
      { toolCall: { id: 'c', name: 't', input: {} } },
    ];
    const tool = { name: 't', description: '', input: z.object({}), execute: () => 'not executed' };
    const model = scriptedModel([{ parts, usage }]);
    const events = await collect(modelAgent(model, { tools: [tool], instructions: 'Be kind.' }).invoke(params()));
    expect(events.map(({ type }) => type).join(' ')).toBe(
      'harness_start model_context step_start reasoning reasoning reasoning text text text tool_input_delta tool_call usage harness_end',
    );
    const [step] = of(events, 'step_start');
    expect(new Set(of(events, 'text').map(({ id }) => id)).size).toBe(1);
    expect(of(events, 'text')[0]?.id).not.toBe(of(events, 'reasoning')[0]?.id);
    expect(of(events, 'usage')).toEqual([
      {
        type: 'usage',
        runId: 'run',
        callId: step?.callId,
        model: 'scripted/scripted',
        ...usage,
        finishReason: 'tool-calls',
      },
    ]);
    expect(model.requests[0]).toMatchObject({ toolNames: ['t'], messages: [{ text: 'Be kind.' }, { text: 'Hi' }] });
    expect(checkOrder(events)).toEqual([]);
  });

  it('gives the model one name in all its events, whatever API of its provider it uses', async () => {
    const model = scriptedModel(['Hi.'], { provider: 'openai.responses', modelId: 'gpt-5' });
    const events = await collect(modelAgent(model).invoke(params()));
    expect([of(events, 'step_start')[0]?.model, of(events, 'usage')[0]?.model]).toEqual([
      'openai/gpt-5',
      'openai/gpt-5',
    ]);
  });

  it('does not offer a withheld tool', async () => {
    const tool = { name: 't', description: 'd', input: z.object({}), execute: () => '' };
    const model = scriptedModel(['Hi.']);
    const agent = modelAgent(model, { tools: [tool, { ...tool, name: 'u' }] });
    await collect(agent.invoke(params({ host: { withheldTools: ['t'] } })));
    expect(model.requests[0]?.toolNames).toEqual(['u']);
  });

  it('omits counts that were not reported', async () => {
    const events = await collect(modelAgent(scriptedModel([{ text: 'Hi', usage: {} }])).invoke(params()));
    expect(of(events, 'usage')[0]).toMatchObject({ inputTokens: 0, outputTokens: 0, finishReason: 'stop' });
    expect(of(events, 'usage')[0]).not.toHaveProperty('cacheReadTokens');
  });

  it("keeps the provider's metadata of reasoning, and emits it once", async () => {
    const item = { openai: { itemId: 'rs_1' } };
    const model = streaming([
      { type: 'reasoning-start', id: '1', providerMetadata: { anthropic: { redactedData: 'x' } } },
      { type: 'reasoning-end', id: '1' },
      { type: 'reasoning-start', id: '2', providerMetadata: item },
      { type: 'reasoning-delta', id: '2', delta: 'a', providerMetadata: { openai: { itemId: 'rs_1' } } },
      { type: 'reasoning-delta', id: '2', delta: 'b', providerMetadata: { openai: { itemId: 'rs_1' } } },
      { type: 'reasoning-end', id: '2', providerMetadata: { openai: { itemId: 'rs_1', enc: 'e' } } },
      finish(),
    ]);
    const emitted = of(await collect(modelAgent(model).invoke(params())), 'reasoning');
    expect(emitted.map(({ content, providerMetadata }) => [content, providerMetadata])).toEqual([
      ['', { anthropic: { redactedData: 'x' } }],
      ['', item],
      ['a', undefined],
      ['b', undefined],
      ['', { openai: { itemId: 'rs_1', enc: 'e' } }],
    ]);
  });

  it('lets the provider store nothing and passes its settings on', async () => {
    const calls: unknown[] = [];
    const model = scriptedModel(['Hi']);
    const watched = {
      ...model,
      doStream: (call: Parameters<typeof model.doStream>[0]) => {
        calls.push(call);
        return model.doStream(call);
      },
    };
    const settings = { temperature: 0, providerOptions: { anthropic: { effort: 'low' } } };
    await collect(modelAgent(watched, { settings }).invoke(params()));
    expect(calls).toMatchObject([
      { temperature: 0, providerOptions: { anthropic: { effort: 'low' }, openai: { store: false } } },
    ]);
  });

  it('hashes the request: the same hash for the same request', async () => {
    const hash = async (content: string) => {
      const invoked = modelAgent(scriptedModel(['Hi'])).invoke(
        params({ conversation: { messages: [{ role: 'user', content }] } }),
      );
      return of(await collect(invoked), 'step_start')[0]?.requestHash;
    };
    expect(await hash('a')).toBe(await hash('a'));
    expect(await hash('a')).not.toBe(await hash('b'));
  });
});

describe('a model call that fails', () => {
  const waits: number[] = [];
  const retry = { random: () => 0.5, delay: async (ms: number) => void waits.push(ms) };
  const run = async (model: Parameters<typeof modelAgent>[0]) => {
    waits.length = 0;
    const events = await collect(modelAgent(model, { retry }).invoke(params()));
    return { events, end: events.at(-1), error: of(events, 'error')[0] };
  };

  it('is retried with growing delays on 429, 5xx and dropped connections, each with a warning', async () => {
    const { events, end } = await run(
      scriptedModel([{ httpStatus: 503 }, [{ text: 'Half of' }, { cut: true }], { httpStatus: 429 }, 'Whole.']),
    );
    expect(waits).toEqual([500, 1000, 2000]);
    expect(of(events, 'warning').map(({ code }) => code)).toEqual([
      'model_unavailable',
      'model_connection',
      'model_rate_limit',
    ]);
    expect(of(events, 'warning')[0]?.message).toMatch(/answered 503: .* Trying again in 1 s\.$/);
    expect(of(events, 'warning').map(({ retryAfterMs }) => retryAfterMs)).toEqual(waits);
    expect(of(events, 'step_start').map(({ step }) => step)).toEqual([0, 0, 0, 0]);
    expect(new Set(of(events, 'step_start').map(({ callId }) => callId)).size).toBe(4);
    const half = of(events, 'text')[0]?.id;
    expect(of(events, 'step_start').map(({ attempt, replaces }) => [attempt, replaces])).toEqual([
      [undefined, undefined],
      [2, []],
      [3, [half]],
      [4, []],
    ]);
    expect(end).toMatchObject({ reason: 'complete' });
  });

  it('waits as long as the service asks, and fails when that is too long', async () => {
    await run(scriptedModel([{ httpStatus: 429, retryAfterSeconds: 7 }, 'Hi']));
    expect(waits).toEqual([7000]);
    const { error } = await run(scriptedModel([{ httpStatus: 429, retryAfterSeconds: 3600 }]));
    expect([waits, error]).toMatchObject([[], { code: 'model_rate_limit', retryable: true, retryAfterMs: 3_600_000 }]);
  });

  it('fails after four retries', async () => {
    const { error, end } = await run(scriptedModel(() => ({ httpStatus: 500 })));
    expect(waits).toHaveLength(4);
    expect([error, end]).toMatchObject([{ code: 'model_unavailable', fatal: true }, { reason: 'error' }]);
  });

  it('is not retried when that cannot help', async () => {
    expect((await run(scriptedModel([{ httpStatus: 400, message: 'Bad.' }]))).error).toMatchObject({
      message: "The model's service answered 400: Bad.",
      code: 'model_request',
      retryable: false,
    });
    expect((await run(scriptedModel([]))).error).toMatchObject({ code: 'invalid_argument' });
    expect(waits).toEqual([]);
  });

  it('recognises failures that providers report inside a stream', async () => {
    const error = (error: unknown): LanguageModelV3StreamPart[] => [{ type: 'error', error }];
    const text: LanguageModelV3StreamPart = { type: 'text-delta', id: 't', delta: 'Hi' };
    const { events } = await run(
      streaming(
        error({ type: 'overloaded_error', message: 'Overloaded' }),
        error({ error: { code: 'server_error', message: 'Oops.' } }),
        [finish('error')],
        [text],
        [text, finish()],
      ),
    );
    expect(of(events, 'warning').map(({ message, code }) => [message.split(' Trying')[0], code])).toEqual([
      ['The model call failed: Overloaded.', 'model_error'],
      ['The model call failed: Oops.', 'model_error'],
      ['The model call failed: the model stopped with an error (error).', 'model_error'],
      ['The connection to the model broke: the stream ended before the model had finished.', 'model_connection'],
    ]);
    expect((await run(streaming(error('just text')))).error).toMatchObject({
      message: 'The model call failed: just text.',
      retryable: false,
    });
    expect((await run(streaming(error(new Error('could not execute'))))).error).toMatchObject({ code: 'model_error' });
  });

  it('without a network is one warning, however often it is tried', async () => {
    const cause = Object.assign(new Error('getaddrinfo ENOTFOUND api.example.com'), { code: 'ENOTFOUND' });
    const doStream = () => Promise.reject(new TypeError('fetch failed', { cause }));
    const { events, error } = await run({ ...scriptedModel([]), doStream });
    const message =
      'The model could not be reached: fetch failed. Check the network connection and the address of the provider.';
    expect(of(events, 'step_start').length).toBeGreaterThan(2);
    expect(of(events, 'warning').map(warning => warning.message.split(' Trying')[0])).toEqual([message]);
    expect(error).toMatchObject({ message, code: 'model_connection' });
  });

  it('with a wrong key names the variable, also of a registered provider', async () => {
    const refused = (provider: string) => scriptedModel([{ httpStatus: 401, message: 'No.' }], { provider });
    expect((await run(refused('anthropic.messages'))).error).toMatchObject({
      message: "The model's service answered 401: No. Check the key in ANTHROPIC_API_KEY.",
      code: 'model_auth',
    });
    const registry = createModelRegistry({ providers: [{ id: 'acme', envVar: 'ACME_KEY', baseURL: 'http://x' }] });
    const events = await collect(modelAgent(refused('acme.chat'), { registry }).invoke(params()));
    expect(of(events, 'error')[0]?.message).toContain('Check the key in ACME_KEY.');
    expect((await run(refused('mine'))).error?.message).toContain('given to the provider "mine"');
  });

  it('without a key names the variable', async () => {
    const registry = createModelRegistry({ env: {} });
    const events = await collect(modelAgent('openai/gpt-5', { registry }).invoke(params()));
    expect(of(events, 'error')).toMatchObject([
      { code: 'missing_api_key', message: expect.stringContaining('OPENAI_API_KEY') as string, fatal: true },
    ]);
  });
});
