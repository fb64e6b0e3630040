import { describe, expect, it } from 'vitest';
import type { FlowEvent } from './flow-event.ts';
import { checkFlowOrder, flowOrderRules } from './flow-order.ts';

const usage = {
  promptTokens: 1,
  completionTokens: 2,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  totalTokens: 3,
};
const step: FlowEvent = { type: 'step-start' };
const text: FlowEvent = { type: 'text', text: 'hi' };
const call: FlowEvent = { type: 'tool-invocation', toolInvocationId: 'c', toolName: 't', args: {}, state: 'call' };
const result: FlowEvent = { ...call, state: 'result', result: 1 };
const phase = (phaseIndex: number, totalPhases = 9): FlowEvent => ({
  type: 'tool-progress',
  toolName: 't',
  toolCallId: 'c',
  label: 'on it',
  phaseIndex,
  totalPhases,
});
const agent: FlowEvent = { type: 'tool-agent', toolAgentId: 'a', agentName: 'helper', state: 'call' };
const agentResult: FlowEvent = { ...agent, state: 'result', result: 'done' };
const ask: FlowEvent = { type: 'approval-required', data: { id: 'q', kind: 'tool', target: 'c', payload: {} } };
const decision: FlowEvent = { type: 'approval-decision', data: { id: 'q', outcome: { outcome: 'approve' } } };
const finish: FlowEvent = { type: 'finish', finishReason: 'stop', usage };
const cost: FlowEvent = { type: 'data-cost-summary', data: { currency: 'USD', agents: [] } };
const failure: FlowEvent = { type: 'error', error: { message: 'gone', code: 'x' } };
const future = { type: 'data-of-the-future' } as unknown as FlowEvent;

const broken = (...events: FlowEvent[]) => checkFlowOrder(events).map(({ index, rule }) => `${index} ${rule}`);

describe('the order of a flow stream', () => {
  it('is fine when every guarantee holds', () => {
    expect(
      broken(step, text, call, ask, phase(1), phase(1), decision, result, agent, agentResult, finish, cost),
    ).toEqual([]);
    expect(broken(failure)).toEqual([]);
  });

  it('lets types pass that it does not know, until the end', () => {
    expect(broken(future, finish)).toEqual([]);
    expect(broken(finish, future)).toEqual(['1 finish-terminal']);
  });

  it('allows a call id again after its result', () => {
    expect(broken(call, result, call, result, finish)).toEqual([]);
  });

  it.each<[keyof typeof flowOrderRules, FlowEvent[], string[]]>([
    ['step-first', [text, step, finish], ['0 step-first']],
    ['call-first', [result, finish], ['0 call-first']],
    ['call-first', [phase(1), finish], ['0 call-first']],
    ['call-first', [call, call, result, result, finish], ['1 call-first', '3 call-first']],
    ['phase-rises', [call, phase(2), phase(1), phase(8, 3), result, finish], ['2 phase-rises', '3 phase-rises']],
    ['call-has-result', [call, finish], ['1 call-has-result']],
    ['agent-call-first', [agentResult, finish], ['0 agent-call-first']],
    ['agent-call-first', [agent, agent, agentResult, finish], ['1 agent-call-first']],
    ['agent-has-result', [agent, failure], ['1 agent-has-result']],
    ['gate-after-call', [ask, decision, finish], ['0 gate-after-call']],
    ['decision-after-request', [decision, finish], ['0 decision-after-request']],
    ['decision-after-request', [call, ask, ask, decision, result, finish], ['2 decision-after-request']],
    ['decision-before-result', [call, ask, result, decision, finish], ['2 decision-before-result']],
    ['decision-before-result', [call, ask, failure], ['2 call-has-result', '2 decision-before-result']],
    ['one-end', [step], ['1 one-end']],
    ['one-end', [finish, finish], ['1 one-end']],
    [
      'finish-terminal',
      [cost, finish, cost, cost, text],
      ['0 finish-terminal', '3 finish-terminal', '4 finish-terminal'],
    ],
    ['error-last', [failure, finish], ['1 error-last']],
    ['total-tokens', [{ ...finish, usage: { ...usage, totalTokens: 4 } }], ['0 total-tokens']],
  ])('reports what breaks %s', (rule, events, expected) => {
    const violations = checkFlowOrder(events);
    expect(violations.map(({ index, rule: named }) => `${index} ${named}`)).toEqual(expected);
    expect(violations.find(violation => violation.rule === rule)?.message).toContain(flowOrderRules[rule]);
  });
});
