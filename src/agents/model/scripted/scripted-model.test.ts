import { APICallError, type LanguageModelV3CallOptions, type LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { type ScriptedTurn, scriptByStep } from './script.ts';
import { scriptedModel } from './scripted-model.ts';

const prompt: LanguageModelV3CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: 'go' }] }];

async function collect(stream: ReadableStream<LanguageModelV3StreamPart>) {
  const parts: LanguageModelV3StreamPart[] = [];
  try {
    for await (const part of stream) parts.push(part);
    return { parts };
  } catch (error) {
    return { parts, error };
  }
}

async function partsOf(turn: ScriptedTurn) {
  const { stream } = await scriptedModel([turn]).doStream({ prompt });
  return collect(stream);
}

async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const head = [
  { type: 'stream-start', warnings: [] },
  { type: 'response-metadata', id: 'response-1', modelId: 'scripted' },
];

const noCache = { cacheRead: undefined, cacheWrite: undefined };

describe('the stream of a scripted model', () => {
  it('carries reasoning, text and parallel tool calls in the order of the script', async () => {
    const { parts } = await partsOf([
      { reasoning: 'Let me see.' },
      { text: 'Reading both.' },
      { toolCall: { name: 'read', input: { path: 'a.txt' } } },
      { toolCall: { id: 'mine', name: 'read', input: { path: 'notes/b.txt' } } },
    ]);
    expect(parts).toEqual([
      ...head,
      { type: 'reasoning-start', id: 'reasoning-0' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: 'Let' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: ' me' },
      { type: 'reasoning-delta', id: 'reasoning-0', delta: ' see.' },
      { type: 'reasoning-end', id: 'reasoning-0' },
      { type: 'text-start', id: 'text-1' },
      { type: 'text-delta', id: 'text-1', delta: 'Reading' },
      { type: 'text-delta', id: 'text-1', delta: ' both.' },
      { type: 'text-end', id: 'text-1' },
      { type: 'tool-input-start', id: 'call_1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"path":"a.txt"}' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"path":"a.txt"}' },
      { type: 'tool-input-start', id: 'mine', toolName: 'read' },
      { type: 'tool-input-delta', id: 'mine', delta: '{"path":"notes/b' },
      { type: 'tool-input-delta', id: 'mine', delta: '.txt"}' },
      { type: 'tool-input-end', id: 'mine' },
      { type: 'tool-call', toolCallId: 'mine', toolName: 'read', input: '{"path":"notes/b.txt"}' },
      {
        type: 'finish',
        finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
        usage: {
          inputTokens: { total: 10, noCache: 10, ...noCache },
          outputTokens: { total: 8, text: 8, reasoning: undefined },
        },
      },
    ]);
  });

  it('reports the usage and the finish reason of the script', async () => {
    const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 10, reasoningTokens: 5 };
    const { parts } = await partsOf({ text: 'Cut sh', finishReason: 'length', usage });
    expect(parts.at(-1)).toEqual({
      type: 'finish',
      finishReason: { unified: 'length', raw: 'length' },
      usage: {
        inputTokens: { total: 100, noCache: 30, cacheRead: 60, cacheWrite: 10 },
        outputTokens: { total: 20, text: 15, reasoning: 5 },
      },
    });
  });

  it('passes malformed arguments on unchanged', async () => {
    const { parts } = await partsOf({ malformedToolCall: { name: 'read', rawArguments: '{"path": ' } });
    expect(parts.slice(2, -1)).toEqual([
      { type: 'tool-input-start', id: 'call_1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"path": ' },
      { type: 'tool-input-end', id: 'call_1' },
      { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"path": ' },
    ]);
  });

  it('reports an error in the stream when the turn finishes with one', async () => {
    const { parts } = await partsOf({ text: 'So far', finishReason: 'error' });
    expect(parts.slice(-2)).toMatchObject([
      { type: 'error', error: new Error('The model stopped because of an error.') },
      { type: 'finish', finishReason: { unified: 'error' } },
    ]);
  });

  it('breaks with a retryable error after what was streamed when the turn is cut', async () => {
    const { parts, error } = await partsOf([{ text: 'Half an' }, { cut: true }]);
    expect(parts).toEqual([
      ...head,
      { type: 'text-start', id: 'text-0' },
      { type: 'text-delta', id: 'text-0', delta: 'Half' },
      { type: 'text-delta', id: 'text-0', delta: ' an' },
    ]);
    expect(APICallError.isInstance(error) && error.isRetryable).toBe(true);
    expect(error).toMatchObject({ cause: { message: 'terminated', cause: { code: 'UND_ERR_SOCKET' } } });
  });

  it('never completes the tool call that a cut interrupts', async () => {
    const { parts } = await partsOf([{ toolCall: { name: 'read', input: { n: 1 } } }, { cut: true }]);
    expect(parts.slice(2)).toEqual([
      { type: 'tool-input-start', id: 'call_1', toolName: 'read' },
      { type: 'tool-input-delta', id: 'call_1', delta: '{"n":1}' },
    ]);
  });

  it('loses nothing of a long answer', async () => {
    const words = Array.from({ length: 1000 }, (_, n) => ` word${n}`);
    const { parts } = await partsOf([{ text: words.join('') }, { cut: true }]);
    expect(parts.flatMap(part => (part.type === 'text-delta' ? part.delta : []))).toEqual(words);
  });
});

describe('a failing turn', () => {
  it.each([
    [{ httpStatus: 400, message: 'bad input' }, 'bad input', false],
    [{ httpStatus: 401 }, 'The script answers with HTTP 401.', false],
    [{ httpStatus: 500 }, 'The script answers with HTTP 500.', true],
  ])('throws what a provider throws: %j', async (failure, message, isRetryable) => {
    const error = await rejection(scriptedModel([failure]).doStream({ prompt }));
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ message, statusCode: failure.httpStatus, isRetryable, responseHeaders: {} });
  });

  it('carries retry-after', async () => {
    const error = await rejection(scriptedModel([{ httpStatus: 429, retryAfterSeconds: 7 }]).doGenerate({ prompt }));
    expect(error).toMatchObject({ statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '7' } });
  });

  it('rejects when the script has no turn left', async () => {
    const model = scriptedModel(['only']);
    await model.doGenerate({ prompt });
    expect(await rejection(model.doStream({ prompt }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('The script has 1 turn, and request 2 needs turn 2.'),
    });
  });
});

describe('delays and aborts', () => {
  it('waits before each fragment, and only then', async () => {
    const waits: number[] = [];
    const delay = async (ms: number) => void waits.push(ms);
    const { stream } = await scriptedModel([{ text: 'a b c', delayMs: 40 }], { delay }).doStream({ prompt });
    const { parts } = await collect(stream);
    expect(waits).toEqual([40, 40, 40]);
    expect(parts).toHaveLength(2 + 5 + 1);
  });

  it('never waits without a delay', async () => {
    const waits: number[] = [];
    const delay = async (ms: number) => void waits.push(ms);
    const { stream } = await scriptedModel(['a b c'], { delay }).doStream({ prompt });
    expect((await collect(stream)).parts).toHaveLength(2 + 5 + 1);
    expect(waits).toEqual([]);
  });

  it('errors the stream with the reason of the abort while it waits', async () => {
    const abort = new AbortController();
    const reason = new Error('stop it');
    const delay = async (_ms: number, signal?: AbortSignal) => {
      if (asked++ < 2) return;
      abort.abort(reason);
      expect(signal?.aborted).toBe(true);
    };
    let asked = 0;
    const model = scriptedModel([{ text: 'a b c d', delayMs: 1 }], { delay });
    const { stream } = await model.doStream({ prompt, abortSignal: abort.signal });
    const { parts, error } = await collect(stream);
    expect(parts.flatMap(part => (part.type === 'text-delta' ? part.delta : []))).toEqual(['a', ' b']);
    expect(error).toBe(reason);
  });

  it('errors a stream without delays when its reader aborts', async () => {
    const abort = new AbortController();
    const { stream } = await scriptedModel(['a b c d']).doStream({ prompt, abortSignal: abort.signal });
    const reader = stream.getReader();
    expect(await reader.read()).toMatchObject({ value: { type: 'stream-start' } });
    abort.abort(new Error('enough'));
    await expect(reader.read()).rejects.toThrow('enough');
  });

  it('rejects a call that is aborted already, without using a turn', async () => {
    const model = scriptedModel(['a']);
    await expect(model.doStream({ prompt, abortSignal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    );
    await expect(model.doGenerate({ prompt, abortSignal: AbortSignal.abort(new Error('too late')) })).rejects.toThrow(
      'too late',
    );
    expect(model.requests).toEqual([]);
  });
});

describe('a call without streaming', () => {
  it('returns the whole answer', async () => {
    const turn = {
      parts: [{ reasoning: 'Hm.' }, { text: 'Hi there' }, { toolCall: { name: 'read', input: { n: 1 } } }],
    };
    const model = scriptedModel([{ ...turn, headers: { 'x-limit': '3' } }], { modelId: 'm', now: () => 0 });
    expect(await model.doGenerate({ prompt })).toEqual({
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'text', text: 'Hi there' },
        { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: '{"n":1}' },
      ],
      finishReason: { unified: 'tool-calls', raw: 'tool-calls' },
      usage: {
        inputTokens: { total: 10, noCache: 10, ...noCache },
        outputTokens: { total: 4, text: 4, reasoning: undefined },
      },
      response: { id: 'response-1', modelId: 'm', timestamp: new Date(0), headers: { 'x-limit': '3' } },
      warnings: [],
    });
  });

  it('fails when the turn is cut', async () => {
    expect(await rejection(scriptedModel([[{ text: 'x' }, { cut: true }]]).doGenerate({ prompt }))).toMatchObject({
      isRetryable: true,
    });
  });
});

describe('the request log', () => {
  const turns = [{ toolCall: { name: 'read', input: { path: 'a' } } }, 'Done.'];
  const read = tool({ inputSchema: z.object({ path: z.string() }), execute: () => ({ lines: 2 }) });

  it('shows each request in plain terms', async () => {
    const model = scriptedModel(turns);
    const { text } = await generateText({
      model,
      system: 'Be brief.',
      prompt: 'go',
      tools: { read },
      stopWhen: stepCountIs(3),
    });
    expect(text).toBe('Done.');
    expect(model.requests[1]).toEqual({
      index: 1,
      api: 'model',
      model: 'scripted',
      toolNames: ['read'],
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'call_1', name: 'read', input: { path: 'a' } }] },
        { role: 'tool', text: '', toolResults: [{ id: 'call_1', text: '{"lines":2}' }] },
      ],
      toolCalls: [{ id: 'call_1', name: 'read', input: { path: 'a' } }],
      toolResults: [{ id: 'call_1', text: '{"lines":2}' }],
      lastUserText: 'go',
      step: 1,
    });
  });

  it('keeps as many requests as its limit allows', async () => {
    const model = scriptedModel(() => 'ok', { keepRequests: 1 });
    await model.doGenerate({ prompt });
    await model.doGenerate({ prompt });
    expect(model.requests.map(request => request.index)).toEqual([0]);
  });

  it('allows another process to continue: a new model with the same script answers the same', async () => {
    const script = scriptByStep(turns);
    const first = await generateText({ model: scriptedModel(script), prompt: 'go', tools: { read } });
    const messages = [{ role: 'user' as const, content: 'go' }, ...first.response.messages];
    const second = streamText({ model: scriptedModel(script), messages, tools: { read } });
    expect(await second.text).toBe('Done.');
  });
});
