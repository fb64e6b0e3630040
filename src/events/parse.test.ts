import { describe, expect, it } from 'vitest';
import { parseEvent, parseEventText } from './parse.ts';
import { SingletreeError } from '../base/singletree-error.ts';

/** The samples of the seed documents, bare: no ts, no seq. */
const samples: object[] = [
  { type: 'text', runId: 'r1', id: 't1', content: 'Hello' },
  { type: 'reasoning', runId: 'r1', parentId: 'p', id: 't1', content: 'Hmm' },
  { type: 'tool_call', runId: 'r1', id: 'tc-1', name: 'bash', input: { command: 'ls' } },
  {
    type: 'tool_call',
    runId: 'r1',
    id: 'tc-1',
    name: 'bash',
    input: { __toolParseError: true, parseError: 'Unexpected end', rawArguments: '{"comm' },
  },
  { type: 'tool_result', runId: 'r1', id: 'tc-1', name: 'bash', output: { context: 'a.txt', result: ['a.txt'] } },
  { type: 'tool_result', runId: 'r1', id: 'tc-1', name: 'bash', output: { context: 'file1.txt\nfile2.txt' } },
  { type: 'tool_result', runId: 'r1', id: 'tc-1', name: 'bash', output: { status: 'denied', reason: 'no' } },
  { type: 'tool_result', runId: 'r1', id: 'tc-1', name: 'bash', output: { error: 'exit 1' } },
  { type: 'tool_result', runId: 'r1', id: 'tc-1', name: 'bash', output: 'any other shape' },
  { type: 'tool_progress', runId: 'r1', id: 'p1', toolCallId: 'tc-1', name: 'bash', content: { percent: 3 } },
  { type: 'repl_input', runId: 'r1', id: 'x1', code: 'FINAL(1)', iteration: 0 },
  { type: 'repl_progress', runId: 'r1', id: 'x1', chunk: '1\n', stream: 'stdout' },
  { type: 'repl_output', runId: 'r1', id: 'x1', stdout: '1\n', done: true },
  { type: 'user', runId: 'user-1', content: 'List files' },
  { type: 'user', runId: 'user-1', content: [{ type: 'text', text: 'List files' }] },
  { type: 'harness_start', runId: 'agent-1', parentId: 'user-1:user', agentId: 'coder' },
  { type: 'harness_end', runId: 'agent-1', agentId: 'coder' },
  { type: 'error', runId: 'agent-1', message: 'boom' },
  { type: 'usage', runId: 'agent-1', inputTokens: 50, outputTokens: 20 },
  {
    type: 'relay',
    runId: 'agent-1',
    id: 'relay-1',
    relayKind: 'permission',
    toolCallId: 'tc-1',
    tool: 'bash',
    params: { command: 'ls' },
  },
];

function refusal(value: unknown): SingletreeError {
  try {
    parseEvent(value);
  } catch (error) {
    if (SingletreeError.is(error, 'invalid_event')) return error;
  }
  throw new Error('it was not refused with invalid_event');
}

describe('parseEvent', () => {
  it.each(samples)('accepts the bare sample %j and returns the very object', sample => {
    expect(parseEvent(sample)).toBe(sample);
  });

  it('lets unknown types and unknown fields through unchanged', () => {
    const foreign = { type: 'from_the_future', runId: 'r1', payload: { deep: [1, null] } };
    const extended = { type: 'text', runId: 'r1', id: 't', content: '', flavour: { sour: true } };
    expect(parseEvent(foreign)).toBe(foreign);
    expect(parseEvent(extended)).toBe(extended);
  });

  it.each([
    [
      { type: 'tool_call', runId: 'r', id: 'c', name: 5, input: {} },
      'Event "tool_call" is invalid: field "name": expected string, received number.',
    ],
    [
      { type: 'tool_call', runId: 'r', id: 'c', name: 'bash' },
      'Event "tool_call" is invalid: field "input": expected a JSON value.',
    ],
    [
      { type: 'text', id: 't', content: '' },
      'Event "text" is invalid: field "runId": expected string, received undefined.',
    ],
    [
      { type: 'from_the_future' },
      'Event "from_the_future" is invalid: field "runId": expected string, received undefined.',
    ],
    [{ type: 'text', runId: 'r', id: 't', content: '', seq: 0 }, 'field "seq"'],
    [{ type: 'text', runId: 'r', id: 't', content: '', ts: 'yesterday' }, 'field "ts"'],
    [{ type: 'relay', runId: 'r', id: 'q', relayKind: 'permission', tool: 'bash', params: {} }, 'field "toolCallId"'],
    [{ type: 'relay', runId: 'r', id: 'q', relayKind: 'wish' }, 'field "relayKind"'],
    [{ runId: 'r' }, 'The event is invalid: field "type"'],
    [null, 'The event is invalid'],
    ['text', 'The event is invalid'],
    [[], 'The event is invalid'],
  ])('refuses %j and says why', (value, message) => {
    expect(refusal(value).message).toContain(message);
  });

  it('names event, field and expectation in the details of the error', () => {
    const { details, status } = refusal({ type: 'usage', runId: 'r', inputTokens: 'many', outputTokens: 1 });
    expect(details).toEqual({ type: 'usage', field: 'inputTokens', expected: 'expected number, received string' });
    expect(status).toBe(400);
  });
});

describe('parseEventText', () => {
  it('parses one line of JSON', () => {
    expect(parseEventText('{"type":"text","runId":"r","id":"t","content":"é"}', 'Line 1')).toMatchObject({
      content: 'é',
    });
  });

  it('says which line is not JSON, or not an event', () => {
    expect(() => parseEventText('{"type":', 'Line 7')).toThrow('Line 7 is not JSON: "{\\"type\\":"');
    expect(() => parseEventText('{"type":"text"}', 'Line 8')).toThrow('Line 8: Event "text" is invalid: field "runId"');
  });
});
