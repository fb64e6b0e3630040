import { describe, expect, it } from 'vitest';
import type { AgentEvent } from './vocabulary.ts';
import { checkOrder } from './order.ts';

const runId = 'a1';
const start: AgentEvent = { type: 'harness_start', runId, agentId: 'coder' };
const end: AgentEvent = { type: 'harness_end', runId, agentId: 'coder' };
const call: AgentEvent = { type: 'tool_call', runId, id: 'c', name: 'bash', input: {} };
const delta: AgentEvent = { type: 'tool_input_delta', runId, id: 'c', delta: '{}' };
const toolStart: AgentEvent = { type: 'tool_start', runId, id: 'c', name: 'bash' };
const progress: AgentEvent = { type: 'tool_progress', runId, id: 'p', toolCallId: 'c', name: 'bash', content: 1 };
const result: AgentEvent = { type: 'tool_result', runId, id: 'c', name: 'bash', output: { context: '' } };
const relay: AgentEvent = {
  type: 'relay',
  runId,
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'bash',
  params: {},
};
const answer: AgentEvent = { type: 'relay_resolved', runId, relayId: 'q', outcome: 'approve' };
const input: AgentEvent = { type: 'repl_input', runId, id: 'x', code: '' };
const output: AgentEvent = { type: 'repl_output', runId, id: 'x', stdout: '', done: true };
const print: AgentEvent = { type: 'repl_progress', runId, id: 'x', chunk: '', stream: 'stdout' };
const text: AgentEvent = { type: 'text', runId, id: 't', content: '' };
const foreign = { type: 'from_the_future', runId } as unknown as AgentEvent;

const rules = (events: AgentEvent[]) => checkOrder(events).map(({ index, rule }) => [index, rule]);

describe('checkOrder', () => {
  it('accepts what people ask for at any time', () => {
    const asked: AgentEvent[] = [
      { type: 'run_requested', runId, agentId: 'coder', parentId: 'u:user' },
      { type: 'message_queued', runId, id: 'm', content: '', delivery: 'steer', agent: 'coder', order: 0 },
      { type: 'message_changed', runId, id: 'm', content: 'x' },
      { type: 'message_withdrawn', runId, id: 'm' },
      { type: 'abort_requested', runId },
      { type: 'steer_requested', runId, id: 'm', content: '' },
    ];
    expect(rules([...asked, start, ...asked, text, ...asked, end, ...asked])).toEqual([]);
  });

  it('finds nothing wrong with a whole run', () => {
    const run = [
      start,
      text,
      delta,
      call,
      relay,
      answer,
      toolStart,
      progress,
      result,
      input,
      print,
      output,
      foreign,
      text,
      end,
    ];
    expect(rules(run.map((event, index) => ({ ...event, seq: index + 1 })))).toEqual([]);
  });

  it.each<[string, AgentEvent[], [number, string][]]>([
    ['a start that is not first', [text, start], [[1, 'start-first']]],
    ['a second start', [start, start], [[1, 'start-first']]],
    ['an event after the end', [start, end, text], [[2, 'nothing-after-end']]],
    ['a result without its call', [result], [[0, 'call-before-outcome']]],
    ['a start without its call', [toolStart], [[0, 'call-before-outcome']]],
    ['progress without its call', [progress], [[0, 'call-before-outcome']]],
    ['a second result', [call, result, result], [[2, 'one-result']]],
    ['progress after the result', [call, result, progress], [[2, 'one-result']]],
    ['a second start of a call', [call, toolStart, toolStart], [[2, 'one-start']]],
    ['a start after the result', [call, result, toolStart], [[2, 'one-start']]],
    ['input after its call', [call, delta], [[1, 'input-before-call']]],
    ['a permission relay without its call', [relay], [[0, 'relay-before-result']]],
    ['a permission relay after the result', [call, result, relay], [[2, 'relay-before-result']]],
    ['an answer without its relay', [answer], [[0, 'relay-before-answer']]],
    ['a second answer', [call, relay, answer, answer], [[3, 'one-answer']]],
    ['repl output without input', [output], [[0, 'repl-input-first']]],
    ['a second repl output', [input, output, output], [[2, 'one-repl-output']]],
    ['repl progress after the output', [input, output, print], [[2, 'one-repl-output']]],
    [
      'a gap in seq',
      [
        { ...text, seq: 1 },
        { ...text, seq: 3 },
      ],
      [[1, 'seq-rises']],
    ],
  ])('reports %s', (_, events, expected) => {
    expect(rules(events)).toEqual(expected);
  });

  it('matches calls and results over runs: text and tools may carry different runIds', () => {
    expect(rules([{ ...call, runId: 'model-call' }, result])).toEqual([]);
  });
});
