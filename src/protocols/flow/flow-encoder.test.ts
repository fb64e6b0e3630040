import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { examples, request } from '../../../test/support/request-examples.ts';
import { encodeAll } from '../encoder.ts';
import { flowEncoder } from './flow-encoder.ts';
import type { FlowEvent } from './flow-event.ts';
import { checkFlowOrder } from './flow-order.ts';

const options = { threadId: 'th', resourceId: 'acme' };
const stepStart = { type: 'step-start' };
const tokens = (promptTokens: number, completionTokens: number) => ({
  promptTokens,
  completionTokens,
  cacheReadInputTokens: 0,
  cacheCreationInputTokens: 0,
  totalTokens: promptTokens + completionTokens,
});

const called = (toolInvocationId: string, toolName: string, args: unknown) => ({
  type: 'tool-invocation',
  toolInvocationId,
  toolName,
  args,
  state: 'call',
});
const returned = (id: string, toolName: string, args: unknown, result: unknown) => ({
  ...called(id, toolName, args),
  state: 'result',
  result,
});
const required = (data: object) => ({ type: 'approval-required', data: { ...data, ...options } });
const plan = (data: object) => ({ type: 'plan-status-change', data });
const finished = (finishReason: string, prompt: number, completion: number) => ({
  type: 'finish',
  finishReason,
  usage: tokens(prompt, completion),
});

/** The stream of an example without its summaries. */
function encoded(name: keyof typeof examples): FlowEvent[] {
  const stream = encodeAll(flowEncoder(options), examples[name]);
  expect(checkFlowOrder(stream)).toEqual([]);
  return stream.filter(({ type }) => !type.endsWith('-summary'));
}

describe('the flow encoder', () => {
  it('encodes text and reasoning as they come, then the finish', () => {
    expect(encoded('text and reasoning')).toEqual([
      stepStart,
      { type: 'reasoning', text: 'Let me ' },
      { type: 'reasoning', text: 'think.' },
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: {
          promptTokens: 12,
          completionTokens: 8,
          cacheReadInputTokens: 4,
          cacheCreationInputTokens: 0,
          totalTokens: 20,
        },
      },
    ]);
  });

  it('encodes a call, its progress in rising phases, and its result', () => {
    expect(encoded('a tool with progress')).toEqual([
      stepStart,
      called('run/c1', 'read', { path: 'a' }),
      {
        type: 'tool-progress',
        toolName: 'read',
        toolCallId: 'run/c1',
        label: 'opening',
        phaseIndex: 1,
        totalPhases: 1,
      },
      {
        type: 'tool-progress',
        toolName: 'read',
        toolCallId: 'run/c1',
        label: 'Reading',
        phaseIndex: 2,
        totalPhases: 4,
        milestone: { lines: 3 },
      },
      returned('run/c1', 'read', { path: 'a' }, { lines: 3 }),
      stepStart,
      { type: 'text', text: 'Three lines.' },
      finished('stop', 30, 5),
    ]);
  });

  it('gives failed and denied tools a result', () => {
    expect(encoded('tools that fail and are denied')).toEqual([
      stepStart,
      called('run/c1', 'read', { path: 'a' }),
      called('run/c2', 'shell', { command: 'rm -rf /' }),
      returned('run/c2', 'shell', { command: 'rm -rf /' }, { status: 'denied', reason: 'It is not allowed.' }),
      returned('run/c1', 'read', { path: 'a' }, { error: 'no such file' }),
      stepStart,
      { type: 'text', text: 'Sorry.' },
      finished('stop', 30, 5),
    ]);
  });

  it('encodes what people are asked and what they decided between call and result', () => {
    expect(encoded('approvals')).toEqual([
      stepStart,
      called('run/c1', 'shell', { command: 'ls' }),
      called('run/c2', 'shell', { command: 'rm a' }),
      called('run/c3', 'shell', { command: 'cat' }),
      required({
        id: 'ask-1',
        kind: 'tool',
        target: 'run/c1',
        payload: { toolCallId: 'run/c1', toolName: 'shell', args: { command: 'ls' } },
      }),
      required({
        id: 'ask-2',
        kind: 'tool',
        target: 'run/c2',
        payload: { toolCallId: 'run/c2', toolName: 'shell', args: { command: 'rm a' } },
      }),
      required({
        id: 'ask-3',
        kind: 'tool',
        target: 'run/c3',
        payload: { toolCallId: 'run/c3', toolName: 'shell', args: { command: 'cat' } },
      }),
      { type: 'approval-decision', data: { id: 'ask-1', outcome: { outcome: 'approve' }, feedback: 'fine' } },
      {
        type: 'approval-decision',
        data: { id: 'ask-2', outcome: { outcome: 'reject' }, feedback: 'Nobody answered in time.' },
      },
      {
        type: 'approval-decision',
        data: { id: 'ask-3', outcome: { outcome: 'revise', partial: { command: 'cat b' } } },
      },
      returned('run/c2', 'shell', { command: 'rm a' }, { status: 'denied', reason: 'Nobody answered in time.' }),
      returned('run/c1', 'shell', { command: 'ls' }, 'a b'),
      returned('run/c3', 'shell', { command: 'cat' }, 'bee'),
      finished('stop', 10, 2),
    ]);
  });

  it('shows a plan as pending while a person is asked about it', () => {
    expect(encoded('a plan and a question')).toEqual([
      stepStart,
      called('run/c1', 'submit_plan', {}),
      plan({ planId: 'plan-1', from: 'draft', to: 'pending_approval' }),
      required({
        id: 'ask-1',
        kind: 'plan',
        target: 'plan-1',
        payload: { toolCallId: 'run/c1', title: 'Move', plan: '1. Pack' },
      }),
      { type: 'approval-decision', data: { id: 'ask-1', outcome: { outcome: 'approve' } } },
      plan({ planId: 'plan-1', from: 'pending_approval', to: 'approved' }),
      returned('run/c1', 'submit_plan', {}, 'approved'),
      plan({ planId: 'plan-1', from: 'approved', to: 'executing' }),
      required({
        id: 'ask-2',
        kind: 'question',
        target: 'ask-2',
        payload: { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] },
      }),
      { type: 'approval-decision', data: { id: 'ask-2', outcome: { outcome: 'approve' }, answer: 'B' } },
      plan({ planId: 'plan-1', from: 'executing', to: 'executed' }),
      finished('stop', 1, 1),
    ]);
  });

  it('encodes a subagent by its call, its tools and its result, never by its text', () => {
    expect(encoded('a subagent')).toEqual([
      stepStart,
      called('run/c1', 'agent', { task: 'Count the files' }),
      {
        type: 'tool-agent',
        toolAgentId: 'kid',
        agentName: 'counter',
        toolInvocationId: 'run/c1',
        prompt: 'Count the files',
        state: 'call',
      },
      { ...called('kid/c1', 'list', {}), toolAgentId: 'kid' },
      { ...returned('kid/c1', 'list', {}, ['a']), toolAgentId: 'kid' },
      {
        type: 'tool-agent',
        toolAgentId: 'kid',
        agentName: 'counter',
        toolInvocationId: 'run/c1',
        prompt: 'Count the files',
        state: 'result',
        result: 'One file.',
      },
      {
        type: 'data-tool-agent',
        data: { toolAgentId: 'kid', agentName: 'counter', model: 'scripted/two', usage: tokens(11, 3) },
      },
      returned('run/c1', 'agent', { task: 'Count the files' }, 'One file.'),
      stepStart,
      { type: 'text', text: 'There is one.' },
      finished('stop', 41, 8),
    ]);
  });

  it('ends with the error of the root run, after a result for everything that is open', () => {
    expect(encoded('an error in a subagent, then in the run')).toEqual([
      stepStart,
      called('run/c1', 'agent', { prompt: 'Try' }),
      {
        type: 'tool-agent',
        toolAgentId: 'kid',
        agentName: 'helper',
        toolInvocationId: 'run/c1',
        prompt: 'Try',
        state: 'call',
      },
      {
        type: 'tool-agent',
        toolAgentId: 'kid',
        agentName: 'helper',
        toolInvocationId: 'run/c1',
        prompt: 'Try',
        state: 'result',
        result: { error: 'The kid broke.' },
      },
      { type: 'data-tool-agent', data: { toolAgentId: 'kid', agentName: 'helper', usage: tokens(0, 0) } },
      returned('run/c1', 'agent', { prompt: 'Try' }, { error: 'It has no result: the run ended before.' }),
      { type: 'error', error: { message: 'The model is gone.', code: 'model_unavailable' } },
    ]);
  });

  it('closes what is open when the run is stopped', () => {
    expect(encoded('a run that is stopped')).toEqual([
      stepStart,
      { type: 'text', text: 'I will ' },
      called('run/c1', 'shell', { command: 'sleep' }),
      required({
        id: 'ask-1',
        kind: 'tool',
        target: 'run/c1',
        payload: { toolCallId: 'run/c1', toolName: 'shell', args: {} },
      }),
      {
        type: 'approval-decision',
        data: { id: 'ask-1', outcome: { outcome: 'reject' }, feedback: 'It was cancelled before anybody answered.' },
      },
      returned('run/c1', 'shell', { command: 'sleep' }, { error: 'It has no result: the run ended before.' }),
      finished('aborted', 10, 2),
    ]);
  });

  it('marks a step that takes the place of the attempt before', () => {
    expect(encoded('a step that is repeated')).toEqual([
      stepStart,
      { type: 'text', text: 'Hel' },
      { type: 'step-start', attempt: 2 },
      { type: 'text', text: 'Hello' },
      called('run/c1~2', 'read', {}),
      returned('run/c1~2', 'read', {}, 'text'),
      finished('stop', 10, 2),
    ]);
  });

  it('encodes custom events, user interfaces and files, and passes over what it cannot encode', () => {
    expect(encoded('other events')).toEqual([
      stepStart,
      { type: 'custom', event_type: 'acme-forecast-refresh', data: { runId: 'fr-42' } },
      { type: 'data-flow-ui', data: { dsl: '<Chart/>' } },
      { type: 'custom', event_type: 'agent', data: 1 },
      { type: 'data-file-registered', data: { id: 'f1', path: 'out/a.csv', mediaType: 'text/csv', size: 12 } },
      finished('stop', 0, 0),
    ]);
  });

  it('says which subagent a progress is of', () => {
    const name = 'list';
    const log = request([
      { type: 'tool_call', id: 'run/c1', name: 'agent', input: 'Count' },
      { type: 'harness_start', runId: 'kid', agentId: 'counter', parentId: 'run/c1' },
      { type: 'tool_call', runId: 'kid', id: 'kid/c1', name, input: {} },
      { type: 'tool_progress', runId: 'kid', id: 'p1', toolCallId: 'kid/c1', name, content: 'Looking' },
    ]);
    expect(encodeAll(flowEncoder(), log).find(({ type }) => type === 'tool-progress')).toEqual({
      type: 'tool-progress',
      toolName: name,
      toolCallId: 'kid/c1',
      toolAgentId: 'kid',
      label: 'Looking',
      phaseIndex: 1,
      totalPhases: 1,
    });
  });

  it('sums up cost and latency of all agents after the finish', () => {
    const priced = encodeAll(
      flowEncoder({ priceOf: ({ outputTokens }) => outputTokens / 4, currency: { code: 'EUR', perDollar: 2 } }),
      examples['a subagent'],
    );
    expect(priced.slice(-2)).toEqual([
      {
        type: 'data-cost-summary',
        data: {
          currency: 'EUR',
          agents: [
            { agentName: 'main', model: 'scripted/one', usage: tokens(30, 5), cost: 2.5 },
            { agentName: 'counter', model: 'scripted/two', usage: tokens(11, 3), cost: 1.5 },
          ],
          total: 4,
        },
      },
      {
        type: 'data-latency-summary',
        data: {
          totalMs: 2000,
          firstEventMs: 200,
          firstTextMs: 1800,
          modelMs: 900,
          toolMs: 100,
          subagentMs: 1000,
          approvalMs: 0,
          tools: [
            { toolName: 'list', calls: 1, totalMs: 100, maxMs: 100 },
            { toolName: 'agent', calls: 1, totalMs: 1200, maxMs: 1200 },
          ],
          retries: 0,
        },
      },
    ]);
  });

  it.each([{ amount: 2 }, null, NaN, Infinity, '2', Promise.resolve(2)])(
    'leaves out a cost that is no number: %j',
    price => {
      const priced = encodeAll(flowEncoder({ priceOf: () => price as number }), examples['a subagent']);
      expect(priced.at(-2)).toEqual({
        type: 'data-cost-summary',
        data: {
          currency: 'USD',
          agents: [
            { agentName: 'main', model: 'scripted/one', usage: tokens(30, 5) },
            { agentName: 'counter', model: 'scripted/two', usage: tokens(11, 3) },
          ],
        },
      });
    },
  );

  it('names the model of a subagent only when it was asked', () => {
    const start: AgentEvent[] = [
      { type: 'harness_start', runId: 'run', agentId: 'main' },
      { type: 'tool_call', runId: 'run', id: 'run/c1', name: 'agent', input: {} },
      { type: 'harness_start', runId: 'kid', parentId: 'run/c1', agentId: 'counter', model: 'scripted/two' },
    ];
    const step: AgentEvent = { type: 'step_start', runId: 'kid', step: 0 };
    const modelOf = (...events: AgentEvent[]) =>
      encodeAll(flowEncoder(), [...start, ...events]).flatMap(event =>
        event.type === 'data-tool-agent' ? [event.data.model] : [],
      );
    const end = (reason: 'aborted' | 'complete'): AgentEvent => ({
      type: 'harness_end',
      runId: 'kid',
      agentId: 'counter',
      reason,
    });
    expect(modelOf(end('aborted'))).toEqual([undefined]);
    expect(modelOf()).toEqual([undefined]);
    expect(modelOf(step, end('aborted'))).toEqual(['scripted/two']);
    expect(modelOf(end('complete'))).toEqual(['scripted/two']);
  });
});
