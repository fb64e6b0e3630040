import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { LanguageModelV3 } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf, EventType } from '../../../events/vocabulary.ts';
import { checkOrder } from '../../../events/order.ts';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  startScriptedServer,
} from '../../../testing/scripted-server.ts';
import { loopAgent } from '../../loop/loop-agent.ts';
import { defineTool } from '../../tool-definition/define-tool.ts';
import type { ModelScript } from '../scripted/script.ts';

type Connect = (url: string, apiKey: string) => LanguageModelV3;

const providers: readonly (readonly [string, Connect, string])[] = [
  [
    'OpenAI Responses',
    (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('gpt-5'),
    'OPENAI_API_KEY',
  ],
  ['OpenAI Chat', (url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4.1'), 'OPENAI_API_KEY'],
  [
    'Anthropic',
    (url, apiKey) => createAnthropic({ baseURL: `${url}/v1`, apiKey })('claude-sonnet-4-5'),
    'ANTHROPIC_API_KEY',
  ],
  [
    'an OpenAI-compatible server',
    (url, apiKey) =>
      createOpenAICompatible({ name: 'openai-compatible', baseURL: `${url}/v1`, apiKey, includeUsage: true })('any'),
    'OPENAI_COMPATIBLE_API_KEY',
  ],
];

let server: ScriptedServer;
afterEach(() => server.close());

const waits: number[] = [];

async function run(connect: Connect, script: ModelScript, options: Partial<ScriptedServerOptions> = {}) {
  server = await startScriptedServer({ script, ...options });
  waits.length = 0;
  const add = defineTool({
    name: 'add',
    description: 'adds two numbers',
    input: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => ({ context: a + b, result: { sum: a + b } }),
  });
  const deny = defineTool({ name: 'deny', description: 'is denied', input: z.object({}), execute: () => 'never' });
  const agent = loopAgent({
    model: connect(server.url, 'key'),
    instructions: 'Count well.',
    tools: [add, deny],
    permissions: { default: 'allow', rules: [{ tool: 'deny', policy: 'deny', reason: 'Not that one.' }] },
    retry: { delay: async ms => void waits.push(ms) },
  });
  const messages = [{ role: 'user' as const, content: 'What is 1 + 2?' }];
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke({
    run: { runId: 'run', signal: new AbortController().signal },
    conversation: { messages },
  }))
    events.push(event);
  expect(checkOrder(events)).toEqual([]);
  return { events, of: <Type extends EventType>(type: Type) => ofType(events, type) };
}

function ofType<Type extends EventType>(events: readonly AgentEvent[], type: Type): EventOf<Type>[] {
  return events.filter((event): event is EventOf<Type> => event.type === type);
}
const textOf = (events: readonly AgentEvent[]) =>
  ofType(events, 'text')
    .map(({ content }) => content)
    .join('');
const add = (id: string, input: unknown) => ({ toolCall: { id, name: 'add', input } });

describe.each(providers)('%s', (_, connect, variable) => {
  it('runs tools concurrently and returns each call with its result', async () => {
    const { events, of } = await run(connect, [
      [
        { text: 'Adding.' },
        add('call_a', { a: 1, b: 2 }),
        add('call_b', { a: 3, b: 4 }),
        { toolCall: { id: 'call_c', name: 'deny', input: {} } },
      ],
      'It is 3, and 7.',
    ]);
    expect(of('tool_call').map(({ id, input }) => [id, input])).toEqual([
      ['run/call_a', { a: 1, b: 2 }],
      ['run/call_b', { a: 3, b: 4 }],
      ['run/call_c', {}],
    ]);
    const { seen } = server.requests[1] ?? {};
    expect(seen?.toolCalls).toEqual([
      { id: 'call_a', name: 'add', input: { a: 1, b: 2 } },
      { id: 'call_b', name: 'add', input: { a: 3, b: 4 } },
      { id: 'call_c', name: 'deny', input: {} },
    ]);
    expect(seen?.toolResults).toEqual([
      { id: 'call_a', text: '3' },
      { id: 'call_b', text: '7' },
      { id: 'call_c', text: 'Not that one.' },
    ]);
    expect([...new Set(seen?.messages.map(({ role }) => role))]).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(textOf(events)).toBe('Adding.It is 3, and 7.');
    expect(of('usage')).toHaveLength(2);
  });

  it('answers malformed arguments with an error and continues', async () => {
    const { events, of } = await run(connect, [
      [{ malformedToolCall: { id: 'call_a', name: 'add', rawArguments: '{"a": 1, "b"' } }],
      'Sorry.',
    ]);
    expect(of('tool_call')[0]?.input).toMatchObject({ __toolParseError: true, rawArguments: '{"a": 1, "b"' });
    expect(of('tool_result')).toMatchObject([
      { output: { error: expect.stringContaining('not valid JSON') as string } },
    ]);
    expect(server.requests[1]?.seen?.toolResults).toMatchObject([{ id: 'call_a' }]);
    expect([textOf(events), events.at(-1)]).toMatchObject(['Sorry.', { reason: 'complete' }]);
  });

  it('waits as long as a 429 asks', async () => {
    const { events, of } = await run(connect, [
      { httpStatus: 429, retryAfterSeconds: 3, message: 'Slow down.' },
      'Here.',
    ]);
    expect(waits).toEqual([3000]);
    expect(of('warning')).toMatchObject([
      { code: 'model_rate_limit', message: expect.stringContaining('Slow down. Trying again in 3 s.') as string },
    ]);
    expect(events.at(-1)).toMatchObject({ reason: 'complete' });
  });

  it('retries a call whose stream was cut, and omits the first attempt from the request', async () => {
    const { events, of } = await run(connect, [
      [{ text: 'The first half of' }, { cut: true }],
      [{ text: 'Adding.' }, add('call_a', { a: 1, b: 2 })],
      'It is 3.',
    ]);
    expect(of('step_start').map(({ step }) => step)).toEqual([0, 0, 1]);
    expect(of('warning')).toMatchObject([{ code: 'model_connection' }]);
    expect(textOf(events)).toBe('The first half ofAdding.It is 3.');
    expect(server.requests[2]?.seen?.messages.map(({ text }) => text)).toEqual([
      'Count well.',
      'What is 1 + 2?',
      'Adding.',
      '',
    ]);
  });

  it('reports a failure inside the stream as one', async () => {
    const { events, of } = await run(connect, [{ text: 'Well,', finishReason: 'error' }, 'Fine.']);
    expect(of('warning')).toHaveLength(1);
    expect(of('warning')[0]?.message).not.toContain('[object');
    expect(textOf(events)).toContain('Fine.');
  });

  it('reports the usage with cached and reasoning tokens', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, reasoningTokens: 5 };
    const { of } = await run(connect, [{ text: 'Hi', usage }]);
    expect(of('usage')).toMatchObject([{ ...usage, finishReason: 'stop' }]);
  });

  it('names the variable when the key is wrong', async () => {
    const { of } = await run(connect, ['Hi'], { apiKey: 'another' });
    expect(of('error')).toMatchObject([
      { code: 'model_auth', fatal: true, message: expect.stringMatching(new RegExp(`401.*${variable}\\.$`)) as string },
    ]);
    expect(of('error')[0]?.message).not.toContain('another');
    expect(waits).toEqual([]);
  });
});

describe.each(providers.filter(([name]) => name !== 'OpenAI Chat'))('%s', (_, connect) => {
  it('streams reasoning separately from text', async () => {
    const { events, of } = await run(connect, [[{ reasoning: 'One and two.' }, { text: 'Three.' }]]);
    const reasoned = of('reasoning').map(({ content }) => content);
    expect([reasoned.join(''), textOf(events)]).toEqual(['One and two.', 'Three.']);
  });
});

describe('reasoning that a provider needs back', () => {
  const script = [[{ reasoning: 'I should add.' }, { text: 'Adding.' }, add('call_a', { a: 1, b: 2 })], 'It is 3.'];

  it('returns to Anthropic with its signature', async () => {
    await run((url, apiKey) => createAnthropic({ baseURL: `${url}/v1`, apiKey })('claude-sonnet-4-5'), script);
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'I should add.', signature: 'c2NyaXB0ZWQ=' },
            { type: 'text', text: 'Adding.' },
            { type: 'tool_use', id: 'call_a' },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_a' }] },
      ],
    });
  });

  it('returns to OpenAI encrypted, because nothing is stored there', async () => {
    await run((url, apiKey) => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('gpt-5'), script);
    expect(server.requests[0]?.body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    const input = server.requests.flatMap(({ body }) => [(body as { input: unknown[] }).input])[1];
    expect(input?.slice(2)).toMatchObject([
      { type: 'reasoning', encrypted_content: 'c2NyaXB0ZWQ=', summary: [{ text: 'I should add.' }] },
      { role: 'assistant', content: [{ type: 'output_text', text: 'Adding.' }] },
      { type: 'function_call', call_id: 'call_a', arguments: '{"a":1,"b":2}' },
      { type: 'function_call_output', call_id: 'call_a', output: '3' },
    ]);
  });
});
