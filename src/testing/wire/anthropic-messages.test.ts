import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../agents/model/scripted/script.ts';
import { type Answer, resolveTurn } from '../../agents/model/scripted/scripted-answer.ts';
import { scriptedRequest } from '../../agents/model/scripted/scripted-request.ts';
import { anthropicMessages } from './anthropic-messages.ts';

const hello = { model: 'm', stream: true, messages: [{ role: 'user', content: 'go' }] };
const context = { request: anthropicMessages.parse(hello), number: 4, createdAt: 1000 };

function answer(turn: ScriptedTurn): Answer {
  const request = scriptedRequest({ index: 0, api: 'messages', model: 'm', toolNames: () => [], messages: () => [] });
  const resolved = resolveTurn(turn, request);
  if ('failure' in resolved) throw new Error('expected an answer');
  return resolved.answer;
}

function frames(turn: ScriptedTurn) {
  return anthropicMessages.frames(answer(turn), context);
}

function delta(index: number, delta: unknown) {
  return { type: 'content_block_delta', index, delta };
}

function read(...messages: unknown[]) {
  return anthropicMessages.parse({ model: 'm', messages }).messages;
}

describe('the events of Anthropic Messages', () => {
  it('come as the API sends them', () => {
    const usage = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, cacheWriteTokens: 10 };
    const parts = [{ reasoning: 'Hm' }, { text: 'Hi you' }, { toolCall: { name: 'read', input: { n: 1 } } }];
    const counts = { input_tokens: 30, cache_creation_input_tokens: 10, cache_read_input_tokens: 60 };
    const message = {
      id: 'msg_4',
      type: 'message',
      role: 'assistant',
      model: 'm',
      stop_sequence: null,
      stop_reason: null,
    };
    const all = frames({ parts, usage });
    expect(all.map(frame => frame.data)).toEqual([
      { type: 'message_start', message: { ...message, content: [], usage: { ...counts, output_tokens: 1 } } },
      { type: 'ping' },
      { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } },
      delta(0, { type: 'thinking_delta', thinking: 'Hm' }),
      delta(0, { type: 'signature_delta', signature: 'c2NyaXB0ZWQ=' }),
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } },
      delta(1, { type: 'text_delta', text: 'Hi' }),
      delta(1, { type: 'text_delta', text: ' you' }),
      { type: 'content_block_stop', index: 1 },
      {
        type: 'content_block_start',
        index: 2,
        content_block: { type: 'tool_use', id: 'call_1', name: 'read', input: {} },
      },
      delta(2, { type: 'input_json_delta', partial_json: '' }),
      delta(2, { type: 'input_json_delta', partial_json: '{"n":1}' }),
      { type: 'content_block_stop', index: 2 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'tool_use', stop_sequence: null },
        usage: { ...counts, output_tokens: 7 },
      },
      { type: 'message_stop' },
    ]);
    expect(all.every(frame => frame.event === (frame.data as { type: string }).type)).toBe(true);
    expect(all.filter(frame => frame.token)).toHaveLength(4);
  });

  it('stop inside the last block when the turn is cut', () => {
    expect(frames([{ text: 'Half' }, { cut: true }]).map(frame => frame.event)).toEqual([
      'message_start',
      'ping',
      'content_block_start',
      'content_block_delta',
    ]);
  });

  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['content-filter', 'refusal'],
  ] as const)('end a %s with %s', (finishReason, stop_reason) => {
    expect(frames({ text: 'x', finishReason }).at(-2)?.data).toMatchObject({ delta: { stop_reason } });
  });
});

describe('a failure of Anthropic Messages', () => {
  it.each([
    [400, 'invalid_request_error'],
    [401, 'authentication_error'],
    [429, 'rate_limit_error'],
    [500, 'api_error'],
    [529, 'overloaded_error'],
  ])('with status %i is a %s', (httpStatus, type) => {
    expect(anthropicMessages.error({ httpStatus, message: 'no' })).toEqual({
      type: 'error',
      error: { type, message: 'no' },
    });
  });
});

describe('a request to Anthropic Messages', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }] };
  const seenResult = { role: 'tool', text: '', toolResults: [{ id: 'a', text: 'one' }] };

  it('is read as messages, with tool results apart from what the person said', () => {
    const call = { type: 'tool_use', id: 'a', name: 'read', input: { n: 1 } };
    const request = anthropicMessages.parse({
      model: 'm',
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'Hm' }, { type: 'text', text: 'Yes.' }, call] },
        { role: 'user', content: [result, { type: 'text', text: 'and now?' }] },
      ],
      tools: [{ name: 'read', input_schema: {} }],
    });
    expect(request).toEqual({
      model: 'm',
      stream: false,
      toolNames: ['read'],
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'go' },
        { role: 'assistant', text: 'Yes.', toolCalls: [{ id: 'a', name: 'read', input: { n: 1 } }] },
        seenResult,
        { role: 'user', text: 'and now?' },
      ],
    });
  });

  it('does not take a reminder for what a person said', () => {
    const reminder = { type: 'text', text: '<system-reminder>Tidy up.</system-reminder>' };
    expect(read({ role: 'user', content: [result, reminder] })).toEqual([seenResult]);
    expect(read({ role: 'user', content: [reminder] })).toEqual([{ role: 'system', text: reminder.text }]);
    expect(read({ role: 'user', content: [reminder, { type: 'text', text: 'go' }] })).toEqual([
      { role: 'user', text: `${reminder.text}go` },
    ]);
  });
});
