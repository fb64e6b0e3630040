import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../agents/model/scripted/script.ts';
import { type Answer, resolveTurn } from '../../agents/model/scripted/scripted-answer.ts';
import { scriptedRequest } from '../../agents/model/scripted/scripted-request.ts';
import { googleGenerate, googlePath } from './google-generate.ts';

const hello = { model: 'm', stream: true, contents: [{ role: 'user', parts: [{ text: 'go' }] }] };
const context = { request: googleGenerate.parse(hello), number: 4, createdAt: 1000 };

function answer(turn: ScriptedTurn): Answer {
  const request = scriptedRequest({ index: 0, api: 'google', model: 'm', toolNames: () => [], messages: () => [] });
  const resolved = resolveTurn(turn, request);
  if ('failure' in resolved) throw new Error('expected an answer');
  return resolved.answer;
}

const chunk = (parts: unknown[], more: object = {}, usage: object = {}) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...more }],
  ...usage,
  modelVersion: 'm',
  responseId: 'response_4',
});

describe('the chunks of Google Gemini', () => {
  it('come as the API sends them', () => {
    const usage = { inputTokens: 100, outputTokens: 7, cacheReadTokens: 60, reasoningTokens: 2 };
    const parts = [{ reasoning: 'Hm' }, { text: 'Hi you' }, { toolCall: { name: 'read', input: { n: 1 } } }];
    const frames = googleGenerate.frames(answer({ parts, usage }), context);
    const usageMetadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 5,
      totalTokenCount: 107,
      cachedContentTokenCount: 60,
      thoughtsTokenCount: 2,
    };
    expect(frames.map(frame => frame.data)).toEqual([
      chunk([{ text: 'Hm', thought: true }]),
      chunk([{ text: 'Hi' }]),
      chunk([{ text: ' you' }]),
      chunk([{ functionCall: { id: 'call_1', name: 'read', args: { n: 1 } } }]),
      chunk([], { finishReason: 'STOP' }, { usageMetadata }),
    ]);
    expect(frames.filter(frame => frame.token)).toHaveLength(4);
  });

  it('are one body without a stream', () => {
    expect(googleGenerate.body(answer({ text: 'Hi you', usage: {} }), context)).toEqual(
      chunk([{ text: 'Hi you' }], { finishReason: 'STOP' }),
    );
  });

  it('stop without an end when the turn is cut', () => {
    const frames = googleGenerate.frames(answer([{ text: 'Half' }, { cut: true }]), context);
    expect(frames.map(frame => frame.data)).toEqual([chunk([{ text: 'Half' }])]);
  });
});

describe('a failure of Google Gemini', () => {
  it.each([
    [400, 'INVALID_ARGUMENT'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
  ])('with status %i is %s', (httpStatus, status) => {
    expect(googleGenerate.error({ httpStatus, message: 'no' })).toEqual({
      error: { code: httpStatus, message: 'no', status },
    });
  });
});

describe('a request to Google Gemini', () => {
  it('is read as messages, with tool results apart from what the person said', () => {
    const request = googleGenerate.parse({
      model: 'm',
      stream: false,
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [
        { role: 'user', parts: [{ text: 'go' }] },
        {
          role: 'model',
          parts: [{ text: 'Hm', thought: true }, { functionCall: { id: 'a', name: 'read', args: {} } }],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { id: 'a', name: 'read', response: { output: 'one' } } }, { text: 'and now?' }],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'read' }] }],
    });
    expect(request).toEqual({
      model: 'm',
      stream: false,
      toolNames: ['read'],
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'user', text: 'go' },
        { role: 'assistant', text: '', toolCalls: [{ id: 'a', name: 'read', input: {} }] },
        { role: 'tool', text: '', toolResults: [{ id: 'a', text: '{"output":"one"}' }] },
        { role: 'user', text: 'and now?' },
      ],
    });
  });

  it('names its model and method in the path', () => {
    expect(googlePath('/v1beta/models/gemini-2.5-pro:streamGenerateContent')).toEqual({
      model: 'gemini-2.5-pro',
      method: 'streamGenerateContent',
    });
    expect(googlePath('/v1beta/models')).toBeUndefined();
  });
});
