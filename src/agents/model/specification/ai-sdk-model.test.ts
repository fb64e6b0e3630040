import { MockLanguageModelV3 } from 'ai/test';
import { MockLanguageModelV2 } from 'ai5/test';
import { MockLanguageModelV4 } from 'ai7/test';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { Message } from '../../../projections/message.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { defineTool } from '../../loop/tool.ts';
import { createModelRegistry } from '../registry/registry.ts';
import { asModelV3 } from './ai-sdk-model.ts';
import type { AiSdkModel } from '../../contract/model.ts';

/** The result of a call, which every specification types differently. */
function streamOf(...parts: readonly object[]): never {
  return { stream: ReadableStream.from(parts) } as never;
}
const text = [
  { type: 'text-start', id: '1' },
  { type: 'text-delta', id: '1', delta: 'Hello.', providerMetadata: { demo: { signature: 's' } } },
  { type: 'text-end', id: '1' },
] as const;
const call = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: '{}' } as const;

const usageV2 = { inputTokens: 10, outputTokens: 5, totalTokens: 15, reasoningTokens: 2, cachedInputTokens: 4 };
const usageV3 = {
  inputTokens: { total: 10, noCache: 6, cacheRead: 4, cacheWrite: undefined },
  outputTokens: { total: 5, text: 3, reasoning: 2 },
};
const v2 = new MockLanguageModelV2({
  provider: 'demo',
  doStream: [
    streamOf(call, { type: 'finish', usage: usageV2, finishReason: 'tool-calls' }),
    streamOf(...text, { type: 'finish', usage: usageV2, finishReason: 'unknown' }),
  ],
});
const finishV3 = (unified: 'tool-calls' | 'other') =>
  ({ type: 'finish', usage: usageV3, finishReason: { unified, raw: unified } }) as const;
const v3 = new MockLanguageModelV3({
  provider: 'demo',
  doStream: [streamOf(call, finishV3('tool-calls')), streamOf(...text, finishV3('other'))],
});
const interrupted = { ...finishV3('other'), finishReason: { unified: 'interrupted', raw: 'x' } } as const;
const v4 = new MockLanguageModelV4({
  provider: 'demo',
  doStream: [streamOf({ type: 'ping' }, call, finishV3('tool-calls')), streamOf(...text, interrupted)],
});

const look = defineTool({ name: 'look', description: 'looks', input: z.object({}), execute: () => 'seen' });
async function run(model: AiSdkModel): Promise<AgentEvent[]> {
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' }] },
  ];
  const agent = loopAgent({ model, tools: [look], permissions: { default: 'deny', rules: [] } });
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal: new AbortController().signal },
    conversation: { messages },
  }))
    events.push(event);
  return events;
}

describe.each([
  ['v2', v2, 'error-text', 'iVBORw0KGgo='],
  ['v3', v3, 'execution-denied', 'iVBORw0KGgo='],
  ['v4', v4, 'execution-denied', { type: 'data', data: 'iVBORw0KGgo=' }],
] as const)('a model of specification %s', (_, model, denied, data) => {
  it('runs in the loop, with its usage, finish reason and metadata', async () => {
    const events = await run(model);
    expect(events.at(-1)).toMatchObject({ reason: 'complete' });
    const counts = { inputTokens: 10, outputTokens: 5, cacheReadTokens: 4, reasoningTokens: 2 };
    expect(events.filter(({ type }) => type === 'usage')).toMatchObject([
      { ...counts, finishReason: 'tool-calls' },
      { ...counts, finishReason: 'other' },
    ]);
    expect(events.filter(({ type }) => type === 'text')).toMatchObject([
      { content: 'Hello.' },
      { content: '', providerMetadata: { demo: { signature: 's' } } },
    ]);
    const { prompt } = model.doStreamCalls[1] as { prompt: { content: { output?: object; data?: unknown }[] }[] };
    expect(prompt[0]?.content[0]?.data).toEqual(data);
    expect(prompt.at(-1)?.content[0]?.output).toMatchObject({ type: denied });
  });

  it('is resolved by a registry whose provider makes it', async () => {
    const registry = createModelRegistry({ env: {}, providers: [{ id: 'demo', load: () => () => model }] });
    expect(await registry.resolve('demo/any')).toMatchObject({ specificationVersion: 'v3', provider: 'demo' });
  });
});

it('counts the cached tokens of Anthropic models of specification v2 within the input', async () => {
  const metadata = { anthropic: { cacheCreationInputTokens: 3 } };
  const model = new MockLanguageModelV2({
    provider: 'anthropic.messages',
    doStream: streamOf({ type: 'finish', usage: usageV2, finishReason: 'stop', providerMetadata: metadata }),
  });
  const usage = (await run(model)).find(({ type }) => type === 'usage');
  expect(usage).toMatchObject({ inputTokens: 17, cacheReadTokens: 4, cacheWriteTokens: 3, outputTokens: 5 });
});

it('refuses a model of another specification', () => {
  const model = { specificationVersion: 'v1', provider: 'old', modelId: 'm', doStream: () => ({}) } as never;
  expect(() => asModelV3(model)).toThrow('Expected one of v2, v3, v4');
  expect(() => loopAgent({ model })).toThrow('a model of specification v2, v3 or v4');
});
