import { describe, expect, it } from 'vitest';
import type { ScriptedTurn } from '../../agents/model/scripted/script.ts';
import { type Answer, resolveTurn } from '../../agents/model/scripted/scripted-answer.ts';
import { scriptedRequest } from '../../agents/model/scripted/scripted-request.ts';
import { openaiResponses } from './openai-responses.ts';
import type { WireContext } from './wire.ts';

const context: WireContext = {
  request: openaiResponses.parse({ model: 'm', stream: true, input: 'go' }),
  number: 4,
  createdAt: 1000,
};

function answer(turn: ScriptedTurn): Answer {
  const request = scriptedRequest({ index: 0, api: 'responses', model: 'm', toolNames: () => [], messages: () => [] });
  const resolved = resolveTurn(turn, request);
  if ('failure' in resolved) throw new Error('expected an answer');
  return resolved.answer;
}

function frames(turn: ScriptedTurn, changes: Partial<WireContext['request']> = {}) {
  return openaiResponses.frames(answer(turn), { ...context, request: { ...context.request, ...changes } });
}

describe('the events of OpenAI Responses', () => {
  it('come in the order of the API, numbered', () => {
    const turn = [
      { reasoning: 'Hm well' },
      { text: 'Hi you' },
      { toolCall: { name: 'read', input: { path: 'long/enough' } } },
    ];
    const all = frames(turn);
    expect(all.map(frame => frame.event)).toEqual([
      'response.created',
      'response.in_progress',
      'response.output_item.added',
      'response.reasoning_summary_part.added',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.delta',
      'response.reasoning_summary_text.done',
      'response.reasoning_summary_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(all.map(frame => (frame.data as { sequence_number: number }).sequence_number)).toEqual([...all.keys()]);
    expect(all.filter(frame => frame.token)).toHaveLength(6);
  });

  it('carry a call from its empty item to its whole one', () => {
    const at = { item_id: 'fc_4_0', output_index: 0 };
    const item = { id: 'fc_4_0', type: 'function_call', call_id: 'call_1', name: 'read' };
    const whole = { ...item, status: 'completed', arguments: '{"n":1}' };
    const all = frames({ toolCall: { name: 'read', input: { n: 1 } } });
    expect(all.slice(2, -1).map(frame => frame.data)).toEqual([
      {
        type: 'response.output_item.added',
        sequence_number: 2,
        output_index: 0,
        item: { ...item, status: 'in_progress', arguments: '' },
      },
      { type: 'response.function_call_arguments.delta', sequence_number: 3, ...at, delta: '{"n":1}' },
      { type: 'response.function_call_arguments.done', sequence_number: 4, ...at, arguments: '{"n":1}' },
      { type: 'response.output_item.done', sequence_number: 5, output_index: 0, item: whole },
    ]);
    expect(all.at(-1)?.data).toMatchObject({
      response: {
        id: 'resp_4',
        status: 'completed',
        created_at: 1000,
        output: [whole],
        usage: { input_tokens: 10, output_tokens: 1, total_tokens: 11 },
      },
    });
  });

  it('carry a call of a freeform tool as text', () => {
    const all = frames(
      { toolCall: { name: 'apply_patch', input: '*** Begin "Patch"' } },
      { freeformTools: ['apply_patch'] },
    );
    expect(all.slice(2, -1).map(frame => frame.data)).toMatchObject([
      { type: 'response.output_item.added', item: { type: 'custom_tool_call', input: '' } },
      { type: 'response.custom_tool_call_input.delta', delta: '*** Begin "Patch"' },
      { type: 'response.custom_tool_call_input.done', input: '*** Begin "Patch"' },
      {
        type: 'response.output_item.done',
        item: { type: 'custom_tool_call', input: '*** Begin "Patch"', call_id: 'call_1' },
      },
    ]);
  });

  it('carry the namespace of a tool, and encrypted reasoning where it is asked for', () => {
    const turn = [{ reasoning: 'Hm' }, { toolCall: { name: 'spawn', input: {}, namespace: 'agents' } }];
    const output = (changes: Partial<WireContext['request']>) => frames(turn, changes).at(-1)?.data;
    expect(output({ encryptedReasoning: true })).toMatchObject({
      response: { output: [{ type: 'reasoning', encrypted_content: 'c2NyaXB0ZWQ=' }, { namespace: 'agents' }] },
    });
    expect(JSON.stringify(output({}))).not.toContain('encrypted_content');
  });

  it('end in incomplete or failed as the script finishes', () => {
    expect(frames({ text: 'x', finishReason: 'length' }).at(-1)).toMatchObject({
      event: 'response.incomplete',
      data: { response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } },
    });
    expect(frames({ text: 'x', finishReason: 'error' }).at(-1)).toMatchObject({
      event: 'response.failed',
      data: { response: { status: 'failed', error: { code: 'server_error' } } },
    });
  });

  it('stop inside the last item when the turn is cut', () => {
    expect(frames([{ text: 'Half' }, { cut: true }]).at(-1)?.event).toBe('response.output_text.delta');
    expect(frames([{ cut: true }]).map(frame => frame.event)).toEqual(['response.created', 'response.in_progress']);
  });
});

describe('a request to OpenAI Responses', () => {
  it('is read as messages: what the model made in one response is one, and so are the results', () => {
    const request = openaiResponses.parse({
      model: 'm',
      instructions: 'Be brief.',
      include: ['reasoning.encrypted_content'],
      input: [
        { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'Rules.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'Where I am.' }] },
        { role: 'user', content: [{ type: 'input_text', text: 'go' }] },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Both.' }] },
        { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"n":1}' },
        { type: 'custom_tool_call', call_id: 'b', name: 'apply_patch', input: '{"not":"parsed"}' },
        { type: 'function_call_output', call_id: 'a', output: 'one' },
        { type: 'custom_tool_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'two' }] },
        { type: 'item_reference', id: 'msg_1' },
      ],
      tools: [{ type: 'function', name: 'read' }, { type: 'custom', name: 'apply_patch' }, { type: 'web_search' }],
    });
    expect(request).toEqual({
      model: 'm',
      stream: false,
      encryptedReasoning: true,
      toolNames: ['read', 'apply_patch', 'web_search'],
      freeformTools: ['apply_patch'],
      messages: [
        { role: 'system', text: 'Be brief.' },
        { role: 'system', text: 'Rules.' },
        { role: 'user', text: 'Where I am.' },
        { role: 'user', text: 'go' },
        {
          role: 'assistant',
          text: 'Both.',
          toolCalls: [
            { id: 'a', name: 'read', input: { n: 1 } },
            { id: 'b', name: 'apply_patch', input: '{"not":"parsed"}' },
          ],
        },
        {
          role: 'tool',
          text: '',
          toolResults: [
            { id: 'a', text: 'one' },
            { id: 'b', text: 'two' },
          ],
        },
        { role: 'assistant', text: '' },
      ],
    });
  });
});
