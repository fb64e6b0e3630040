import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../agents/model/scripted/script.ts';
import { type Answer, resolveTurn } from '../../agents/model/scripted/scripted-answer.ts';
import { scriptedRequest } from '../../agents/model/scripted/scripted-request.ts';
import { openaiChat } from './openai-chat.ts';
import { encodeFrame } from './wire.ts';

const hello = { model: 'm', stream: true, messages: [{ role: 'user', content: 'go' }] };
const withUsage = { ...hello, stream_options: { include_usage: true } };

function answer(turn: ScriptedTurn): Answer {
  const request = scriptedRequest({ index: 0, api: 'chat', model: 'm', toolNames: () => [], messages: () => [] });
  const resolved = resolveTurn(turn, request);
  if ('failure' in resolved) throw new Error('expected an answer');
  return resolved.answer;
}

function frames(turn: ScriptedTurn, body: unknown = hello) {
  return openaiChat.frames(answer(turn), { request: openaiChat.parse(body), number: 4, createdAt: 1000 });
}

const head = { id: 'chatcmpl-4', object: 'chat.completion.chunk', created: 1000, model: 'm' };
const chunk = (delta: unknown, finish_reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason }],
});

describe('the chunks of OpenAI Chat Completions', () => {
  it('come as the API sends them', () => {
    const call = (index: number, rest: object) => chunk({ tool_calls: [{ index, ...rest }] });
    const all = frames([
      { reasoning: 'Hm' },
      { text: 'Hi you' },
      { toolCall: { name: 'read', input: { n: 1 } } },
      { toolCall: { name: 'list', input: {} } },
    ]);
    expect(all.map(frame => frame.data)).toEqual([
      chunk({ role: 'assistant', content: null, refusal: null }),
      chunk({ reasoning_content: 'Hm' }),
      chunk({ content: 'Hi' }),
      chunk({ content: ' you' }),
      call(0, { id: 'call_1', type: 'function', function: { name: 'read', arguments: '' } }),
      call(0, { function: { arguments: '{"n":1}' } }),
      call(1, { id: 'call_2', type: 'function', function: { name: 'list', arguments: '' } }),
      call(1, { function: { arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      '[DONE]',
    ]);
    expect(all.filter(frame => frame.token)).toHaveLength(5);
  });

  it('end with usage when the request asks for it', () => {
    const [first, ...rest] = frames(
      { text: 'x', usage: { inputTokens: 9, outputTokens: 3, cacheReadTokens: 4 } },
      withUsage,
    );
    expect(first?.data).toMatchObject({ usage: null });
    expect(rest.at(-2)?.data).toEqual({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 9,
        completion_tokens: 3,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 4 },
        completion_tokens_details: { reasoning_tokens: 0 },
      },
    });
  });

  it('carry no usage when the script reports none', () => {
    expect(frames({ text: 'x', usage: {} }, withUsage).at(-2)?.data).toMatchObject({
      choices: [{ finish_reason: 'stop' }],
    });
  });

  it('stop without an end when the turn is cut', () => {
    expect(frames([{ text: 'Half' }, { cut: true }]).at(-1)?.data).toEqual(chunk({ content: 'Half' }));
  });

  it('are written as server-sent events', () => {
    expect(encodeFrame({ event: 'ping', data: { a: 1 } })).toBe('event: ping\ndata: {"a":1}\n\n');
    expect(encodeFrame({ data: '[DONE]' })).toBe('data: [DONE]\n\n');
  });
});

describe('a request to OpenAI Chat Completions', () => {
  it('is read as messages', () => {
    const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{"n": ' } };
    const request = openaiChat.parse({
      ...withUsage,
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'go' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content: 'no such file' },
      ],
      tools: [{ type: 'function', function: { name: 'read' } }],
    });
    expect(request).toEqual({
      model: 'm',
      stream: true,
      includeUsage: true,
      toolNames: ['read'],
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read', input: '{"n": ' }] },
        { role: 'tool', text: '', toolResults: [{ id: 'a', text: 'no such file' }] },
      ],
    });
  });
});
