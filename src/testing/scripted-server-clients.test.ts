import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { APICallError, type LanguageModelV3, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelScript, ScriptedTurn } from '../agents/model/scripted/script.ts';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from './scripted-server.ts';

interface Client {
  name: string;
  model(url: string, apiKey?: string): LanguageModelV3;
  /** Whether the client reads reasoning, and cache writes. */
  reasoning: boolean;
  cacheWrite: boolean;
}

const clients: Client[] = [
  {
    name: '@ai-sdk/openai responses',
    model: (url, apiKey = 'k') => createOpenAI({ baseURL: `${url}/v1`, apiKey }).responses('gpt-5'),
    reasoning: true,
    cacheWrite: true,
  },
  {
    name: '@ai-sdk/openai chat',
    model: (url, apiKey = 'k') => createOpenAI({ baseURL: `${url}/v1`, apiKey }).chat('gpt-4o'),
    reasoning: false,
    cacheWrite: true,
  },
  {
    name: '@ai-sdk/openai-compatible',
    model: (url, apiKey = 'k') =>
      createOpenAICompatible({ name: 'local', baseURL: `${url}/v1`, apiKey, includeUsage: true })('some-model'),
    reasoning: true,
    cacheWrite: false,
  },
  {
    name: '@ai-sdk/anthropic',
    model: (url, apiKey = 'k') => createAnthropic({ baseURL: `${url}/v1`, apiKey })('claude-sonnet-4-5'),
    reasoning: true,
    cacheWrite: true,
  },
];

const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'go' }] }];

let server: ScriptedServer | undefined;

async function start(script: ModelScript, options: Partial<ScriptedServerOptions> = {}): Promise<ScriptedServer> {
  server = await startScriptedServer({ script, ...options });
  return server;
}

afterEach(async () => {
  await server?.close();
});

async function read(model: LanguageModelV3) {
  const parts: LanguageModelV3StreamPart[] = [];
  try {
    const { stream } = await model.doStream({ prompt });
    for await (const part of stream) parts.push(part);
    return { parts };
  } catch (error) {
    return { parts, error };
  }
}

// Two of the clients pass on the empty deltas that open a block; they are no fragments.
function deltas(
  parts: LanguageModelV3StreamPart[],
  type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta',
): string[] {
  return parts.flatMap(part => (part.type === type && part.delta !== '' ? part.delta : []));
}

function calls(parts: LanguageModelV3StreamPart[]) {
  return parts.flatMap(part => (part.type === 'tool-call' ? [[part.toolCallId, part.toolName, part.input]] : []));
}

describe.each(clients)('the scripted server, read by $name', client => {
  const readTurn = async (turn: ScriptedTurn) => read(client.model((await start([turn])).url));

  it('streams text fragment by fragment', async () => {
    const { parts } = await readTurn('Hello from the script.');
    expect(deltas(parts, 'text-delta')).toEqual(['Hello', ' from', ' the', ' script.']);
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'stop' } });
    expect(parts.filter(part => part.type === 'error')).toEqual([]);
  });

  it('streams reasoning before the text', async () => {
    const { parts } = await readTurn([{ reasoning: 'Think about it.' }, { text: 'Answer.' }]);
    expect(deltas(parts, 'reasoning-delta')).toEqual(client.reasoning ? ['Think', ' about', ' it.'] : []);
    expect(deltas(parts, 'text-delta')).toEqual(['Answer.']);
    const kinds = parts.map(part => part.type);
    expect(kinds.lastIndexOf('reasoning-delta')).toBeLessThan(kinds.indexOf('text-delta'));
  });

  it('streams parallel tool calls', async () => {
    const { parts } = await readTurn([
      { text: 'Both.' },
      { toolCall: { id: 'call_a', name: 'read', input: { path: 'a.txt' } } },
      { toolCall: { id: 'call_b', name: 'read', input: { path: 'a/much/longer/path.txt' } } },
    ]);
    expect(calls(parts)).toEqual([
      ['call_a', 'read', '{"path":"a.txt"}'],
      ['call_b', 'read', '{"path":"a/much/longer/path.txt"}'],
    ]);
    expect(deltas(parts, 'tool-input-delta').join('')).toBe('{"path":"a.txt"}{"path":"a/much/longer/path.txt"}');
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'tool-calls' } });
  });

  it('streams malformed arguments as they are', async () => {
    const { parts } = await readTurn({
      malformedToolCall: { id: 'call_m', name: 'read', rawArguments: '{"path": "a' },
    });
    expect(calls(parts)).toEqual([['call_m', 'read', '{"path": "a']]);
  });

  it('reports usage with cache tokens', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 10, reasoningTokens: 5 };
    const { parts } = await readTurn({ text: 'x', usage });
    const finish = parts.at(-1);
    expect(finish?.type === 'finish' && finish.usage.inputTokens).toEqual({
      total: 100,
      noCache: client.cacheWrite ? 30 : 40,
      cacheRead: 60,
      cacheWrite: client.cacheWrite ? 10 : undefined,
    });
    expect(finish?.type === 'finish' && finish.usage.outputTokens).toEqual({ total: 20, text: 15, reasoning: 5 });
  });

  it.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
  ] as const)('finishes with %s', async (finishReason, unified) => {
    const { parts } = await readTurn({ text: 'x', finishReason });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified } });
  });

  it('reports an error in the stream when the turn finishes with one', async () => {
    const { parts } = await readTurn({ text: 'So far', finishReason: 'error' });
    expect(deltas(parts, 'text-delta')).toEqual(['So', ' far']);
    const errors = parts.flatMap(part => (part.type === 'error' ? JSON.stringify(part.error) : []));
    expect(errors).toEqual([expect.stringContaining('The model stopped because of an error.')]);
  });

  it.each([
    [{ httpStatus: 400, message: 'no such parameter' }, 'no such parameter', false],
    [{ httpStatus: 401 }, 'The script answers with HTTP 401.', false],
    [{ httpStatus: 500 }, 'The script answers with HTTP 500.', true],
  ])('answers %j in the error shape of the API', async (failure, message, isRetryable) => {
    const { error } = await readTurn(failure);
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message, statusCode: failure.httpStatus, isRetryable });
  });

  it('answers 429 with retry-after', async () => {
    const { error } = await readTurn({ httpStatus: 429, retryAfterSeconds: 3, message: 'slow down' });
    expect(error).toMatchObject({ message: 'slow down', statusCode: 429, isRetryable: true });
    expect(APICallError.isInstance(error) && error.responseHeaders?.['retry-after']).toBe('3');
  });

  it('breaks the stream after what was sent when the turn is cut', async () => {
    const { parts, error } = await readTurn([{ text: 'Half an answer' }, { cut: true }]);
    expect(deltas(parts, 'text-delta')).toEqual(['Half', ' an', ' answer']);
    expect(parts.some(part => part.type === 'finish' || part.type === 'text-end')).toBe(false);
    expect(error).toMatchObject({ isRetryable: true, cause: { message: 'terminated' } });
    expect(server?.requests[0]?.outcome).toBe('cut');
  });

  it('waits before each fragment of a slow turn', async () => {
    const waits: number[] = [];
    const { url } = await start([{ text: 'a b c', delayMs: 25 }], { delay: async ms => void waits.push(ms) });
    const { parts } = await read(client.model(url));
    expect(waits).toEqual([25, 25, 25]);
    expect(deltas(parts, 'text-delta')).toEqual(['a', ' b', ' c']);
  });

  it('refuses a wrong key with 401, without using a turn', async () => {
    const { url } = await start(['fine'], { apiKey: 'right' });
    expect((await read(client.model(url, 'wrong'))).error).toMatchObject({
      statusCode: 401,
      message: 'The API key is missing or wrong.',
    });
    expect(deltas((await read(client.model(url, 'right'))).parts, 'text-delta')).toEqual(['fine']);
  });

  it('answers without streaming too', async () => {
    const { url } = await start([
      [{ text: 'Hi there' }, { toolCall: { id: 'call_a', name: 'read', input: { n: 1 } } }],
    ]);
    const { content, finishReason } = await client.model(url).doGenerate({ prompt });
    expect(content).toMatchObject([
      { type: 'text', text: 'Hi there' },
      { type: 'tool-call', toolCallId: 'call_a', toolName: 'read', input: '{"n":1}' },
    ]);
    expect(finishReason.unified).toBe('tool-calls');
  });

  it('lets the script see the same conversation whatever the API', async () => {
    const { url, requests } = await start(() => 'ok');
    const call = { toolCallId: 'call_1', toolName: 'read' };
    await client.model(url).doGenerate({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        ...prompt,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Reading.' },
            { type: 'tool-call', ...call, input: { path: 'a' } },
            { type: 'tool-call', toolCallId: 'call_2', toolName: 'read', input: { path: 'b' } },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', ...call, output: { type: 'text', value: 'one' } },
            { type: 'tool-result', toolCallId: 'call_2', toolName: 'read', output: { type: 'text', value: 'two' } },
          ],
        },
      ],
      tools: [{ type: 'function', name: 'read', inputSchema: { type: 'object', properties: {} } }],
    });
    const seen = requests[0]?.seen;
    expect(seen?.messages.map(message => message.role).filter(role => role !== 'tool')).toEqual([
      'system',
      'user',
      'assistant',
    ]);
    expect(seen).toMatchObject({
      toolNames: ['read'],
      toolCalls: [
        { id: 'call_1', name: 'read', input: { path: 'a' } },
        { id: 'call_2', name: 'read', input: { path: 'b' } },
      ],
      toolResults: [
        { id: 'call_1', text: 'one' },
        { id: 'call_2', text: 'two' },
      ],
      lastUserText: 'go',
      step: 1,
    });
    expect(seen?.messages[2]?.text).toBe('Reading.');
  });
});
