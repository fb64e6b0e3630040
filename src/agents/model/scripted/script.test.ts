import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { type ScriptedTurn, scriptByStep, turnFor } from './script.ts';
import { type Answer, resolveTurn } from './scripted-answer.ts';
import { type ScriptedRequest, type SeenMessage, scriptedRequest } from './scripted-request.ts';

function request(messages: SeenMessage[] = [], index = 0): ScriptedRequest {
  return scriptedRequest({ index, api: 'model', model: 'm', toolNames: () => [], messages: () => messages });
}

function answer(turn: ScriptedTurn, messages: SeenMessage[] = []): Answer {
  const resolved = resolveTurn(turn, request(messages));
  if ('failure' in resolved) throw new Error('expected an answer');
  return resolved.answer;
}

function thrownBy(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

const said: SeenMessage = { role: 'user', text: 'go' };
const called: SeenMessage = { role: 'assistant', text: '', toolCalls: [{ id: 'call_1', name: 'read', input: {} }] };
const result: SeenMessage = { role: 'tool', text: '', toolResults: [{ id: 'call_1', text: 'ok' }] };

describe('a script', () => {
  it('answers the n-th request with the n-th turn', () => {
    expect(turnFor(['a', 'b'], request([], 1))).toBe('b');
  });

  it('reports the number of turns when it runs out', () => {
    const error = thrownBy(() => turnFor(['a', 'b'], request([], 2)));
    expect(SingletreeError.is(error, 'invalid_argument')).toBe(true);
    expect((error as SingletreeError).message).toContain('The script has 2 turns, and request 3 needs turn 3.');
    expect((error as SingletreeError).details).toEqual({ turns: 2, index: 2 });
  });

  it('can decide by the content of the request', () => {
    const seen = request([said, called, result]);
    expect(turnFor(({ lastUserText, toolResults }) => `${lastUserText} ${toolResults[0]?.text}`, seen)).toBe('go ok');
  });
});

describe('scriptByStep', () => {
  const script = scriptByStep(['first', 'second']);

  it('counts the assistant messages after the last user message, whatever came before', () => {
    expect(turnFor(script, request([said], 7))).toBe('first');
    expect(turnFor(script, request([said, called, result], 7))).toBe('second');
    expect(turnFor(script, request([said, called, result, said], 7))).toBe('first');
    expect(turnFor(script, request([called, result], 7))).toBe('second');
  });

  it('reports which step has no turn', () => {
    const error = thrownBy(() => turnFor(script, request([said, called, result, called, result])));
    expect((error as Error).message).toContain('2 turns, and step 3 after the last user message needs turn 3');
  });
});

describe('a turn', () => {
  it('may be a string, a list of parts, one part with traits, or parts with traits', () => {
    const hello = answer('Hello you');
    expect(hello).toEqual({
      blocks: [{ kind: 'text', text: 'Hello you', fragments: ['Hello', ' you'] }],
      cut: false,
      usage: { inputTokens: 10, outputTokens: 2 },
      finishReason: 'stop',
      delayMs: 0,
      headers: {},
    });
    expect(answer([{ text: 'Hello you' }])).toEqual(hello);
    expect(answer({ text: 'Hello you', delayMs: 3 })).toEqual({ ...hello, delayMs: 3 });
    expect(answer({ parts: [{ text: 'Hello you' }], usage: {} })).toEqual({ ...hello, usage: {} });
  });

  it('numbers calls without an id through the conversation', () => {
    const calls = [{ toolCall: { name: 'a', input: {} } }, { toolCall: { name: 'b', input: {} } }];
    const ids = (messages: SeenMessage[]) => answer(calls, messages).blocks.map(block => 'id' in block && block.id);
    expect(ids([said])).toEqual(['call_1', 'call_2']);
    expect(ids([said, called, result])).toEqual(['call_2', 'call_3']);
    const named: SeenMessage = { role: 'assistant', text: '', toolCalls: [{ id: 'mine', name: 'a', input: {} }] };
    expect(ids([said, named])).toEqual(['call_2', 'call_3']);
    const seventh: SeenMessage = { role: 'tool', text: '', toolResults: [{ id: 'call_7', text: '' }] };
    expect(ids([said, seventh])).toEqual(['call_8', 'call_9']);
  });

  it('keeps malformed arguments unchanged, and ends at a cut', () => {
    const { blocks, cut } = answer([
      { malformedToolCall: { id: 'x', name: 'a', rawArguments: '{"p": ' } },
      { cut: true },
    ]);
    expect(blocks).toEqual([
      { kind: 'tool', id: 'x', name: 'a', input: '{"p": ', text: '{"p": ', fragments: ['{"p": '] },
    ]);
    expect(cut).toBe(true);
  });

  it('has nothing after a cut', () => {
    expect(() => answer([{ cut: true }, { text: 'late' }])).toThrow('Part 1 of the turn is a cut');
  });

  it('is split into fragments that join to the whole, never inside a surrogate pair', () => {
    const prose = fc.string({ unit: fc.constantFrom('a', 'é', '😀', ' ', '\n'), maxLength: 40 });
    fc.assert(
      fc.property(prose, fc.option(fc.integer({ min: 1, max: 5 }), { nil: undefined }), (text, tokenSize) => {
        const [block] = answer({ text, ...(tokenSize !== undefined && { tokenSize }) }).blocks;
        expect(block?.fragments.join('')).toBe(text);
        expect(
          block?.fragments.every(fragment => fragment !== '' && Buffer.from(fragment).toString() === fragment),
        ).toBe(true);
      }),
    );
  });
});
