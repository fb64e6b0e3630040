import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { gate } from '../../test/support/scripted-agent.ts';
import {
  agentOf,
  answering,
  calls,
  echo,
  plain,
  readAll,
  runtimeOf,
  usageOf,
} from '../../test/support/runtime-scene.ts';
import { defineTool } from '../agents/loop/tool.ts';
import type { AgentCost } from '../protocols/request/totals.ts';
import type { FlowEvent } from '../protocols/flow/flow-event.ts';
import { RuntimeContext } from './governed-agent.ts';

/** The end of a stream in which no time passed. */
function ending(
  costs: readonly [string, number, number][],
  { tools = [], finishReason = 'stop' }: { tools?: string[]; finishReason?: 'stop' | 'aborted' } = {},
): FlowEvent[] {
  const sum = (index: 1 | 2) => costs.reduce((total, cost) => total + cost[index], 0);
  const agents = costs.map(([agentName, sent, received]): AgentCost => {
    return { agentName, model: 'scripted/scripted', usage: usageOf(sent, received) };
  });
  const times = { totalMs: 0, firstEventMs: 0, firstTextMs: 0, modelMs: 0, toolMs: 0, subagentMs: 0, approvalMs: 0 };
  const { firstTextMs: _, ...silent } = times;
  return [
    { type: 'finish', finishReason, usage: usageOf(sum(1), sum(2)) },
    { type: 'data-cost-summary', data: { currency: 'USD', agents } },
    {
      type: 'data-latency-summary',
      data: {
        ...(finishReason === 'stop' ? times : silent),
        tools: tools.map(toolName => ({ toolName, calls: 1, totalMs: 0, maxMs: 0 })),
        retries: 0,
      },
    },
  ];
}

const call = {
  type: 'tool-invocation',
  toolInvocationId: 'id-1/call_1',
  toolName: 'echo',
  args: { value: 'hi' },
} as const;
const step: FlowEvent = { type: 'step-start' };
const text = (said: string): FlowEvent => ({ type: 'text', text: said });
const echoing = [[calls('echo', { value: 'hi' })], 'Done.'];
const asked: FlowEvent = {
  type: 'approval-required',
  data: {
    id: 'id-2',
    kind: 'tool',
    target: 'id-1/call_1',
    payload: { toolCallId: 'id-1/call_1', toolName: 'echo', args: { value: 'hi' } },
    resourceId: 'acme',
    threadId: 'thread',
  },
};

describe('the wire events of a request', () => {
  it('are a step, its words and the end when an agent only answers', async () => {
    const runtime = runtimeOf({ agent: agentOf([[{ reasoning: 'Greet.' }, { text: 'Hello there.' }]]) });
    const events = await readAll(runtime.query('Hi', { threadId: 'thread' }));
    expect(plain(events)).toEqual([
      step,
      { type: 'reasoning', text: 'Greet.' },
      text('Hello there.'),
      ...ending([['main', 10, 3]]),
    ]);
  });

  it('are the call and the result of a tool', async () => {
    const runtime = runtimeOf({ agent: agentOf(echoing, { tools: [echo] }) });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' })))).toEqual([
      step,
      { ...call, state: 'call' },
      { ...call, state: 'result', result: { echo: 'hi' } },
      step,
      text('Done.'),
      ...ending([['main', 20, 2]], { tools: ['echo'] }),
    ]);
  });

  const gated = () => runtimeOf({ agent: agentOf(echoing, { tools: [echo] }), approvals: { floor: { tools: 'ask' } } });

  it('have what was asked and decided between the call and the result of a tool that is approved', async () => {
    const runtime = gated();
    const answer = answering(runtime, 'approve', { feedback: 'fine' });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' }), answer))).toEqual([
      step,
      { ...call, state: 'call' },
      asked,
      { type: 'approval-decision', data: { id: 'id-2', outcome: { outcome: 'approve' }, feedback: 'fine' } },
      { ...call, state: 'result', result: { echo: 'hi' } },
      step,
      text('Done.'),
      ...ending([['main', 20, 2]], { tools: ['echo'] }),
    ]);
  });

  it('have the refusal as the result of a tool that is rejected', async () => {
    const runtime = gated();
    const answer = answering(runtime, 'reject', { feedback: 'not now' });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' }), answer))).toEqual([
      step,
      { ...call, state: 'call' },
      asked,
      { type: 'approval-decision', data: { id: 'id-2', outcome: { outcome: 'reject' }, feedback: 'not now' } },
      { ...call, state: 'result', result: { status: 'denied', reason: 'A person rejected it: not now' } },
      step,
      text('Done.'),
      ...ending([['main', 20, 2]]),
    ]);
  });

  it('have the result of the changed arguments when a tool is revised', async () => {
    const runtime = gated();
    const answer = answering(runtime, 'revise', { partial: { value: 'ho' } });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' }), answer))).toEqual([
      step,
      { ...call, state: 'call' },
      asked,
      { type: 'approval-decision', data: { id: 'id-2', outcome: { outcome: 'revise', partial: { value: 'ho' } } } },
      { ...call, state: 'result', result: { echo: 'ho' } },
      step,
      text('Done.'),
      ...ending([['main', 20, 2]], { tools: ['echo'] }),
    ]);
  });

  it('have a specialist that another agent starts, with its tools, as a pair and with its usage', async () => {
    const runtime = runtimeOf({
      agent: agentOf([[calls('agent', { task: 'Look.' })], 'Done.']),
      specialists: [{ agent: agentOf(echoing, { id: 'scout', tools: [echo] }), description: 'looks' }],
    });
    const started = { type: 'tool-agent', toolAgentId: 'id-2', agentName: 'scout' } as const;
    const agent = { ...started, toolInvocationId: 'id-1/call_1', prompt: 'Look.' };
    const below = { ...call, toolInvocationId: 'id-2/call_1', toolAgentId: 'id-2' };
    const starting = { ...call, toolName: 'agent', args: { task: 'Look.' } };
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' })))).toEqual([
      step,
      { ...starting, state: 'call' },
      { ...agent, state: 'call' },
      { ...below, state: 'call' },
      { ...below, state: 'result', result: { echo: 'hi' } },
      { ...agent, state: 'result', result: 'Done.' },
      {
        type: 'data-tool-agent',
        data: { toolAgentId: 'id-2', agentName: 'scout', model: 'scripted/scripted', usage: usageOf(20, 2) },
      },
      { ...starting, state: 'result', result: { agentId: 'scout', runId: 'id-2', reason: 'complete' } },
      step,
      text('Done.'),
      ...ending(
        [
          ['main', 20, 2],
          ['scout', 20, 2],
        ],
        { tools: ['echo', 'agent'] },
      ),
    ]);
  });

  it('end once, as aborted, when the thread is cancelled, and the tool sees it', async () => {
    const started = gate();
    let stopped = false;
    const wait = defineTool({
      name: 'echo',
      description: 'waits',
      input: z.object({ value: z.string() }),
      execute: (_, { signal }) =>
        new Promise(resolve => {
          signal.addEventListener('abort', () => resolve(String((stopped = true))));
          started.open();
        }),
    });
    const runtime = runtimeOf({ agent: agentOf(echoing, { tools: [wait] }) });
    const reading = readAll(runtime.query('Hi', { threadId: 'thread' }));
    await started.opened;
    await runtime.cancel('thread');
    expect(stopped).toBe(true);
    expect(plain(await reading)).toEqual([
      step,
      { ...call, state: 'call' },
      { ...call, state: 'result', result: { error: 'It has no result: the run ended before.' } },
      ...ending([['main', 10, 1]], { tools: ['echo'], finishReason: 'aborted' }),
    ]);
  });

  it('end with an error when the model fails', async () => {
    const runtime = runtimeOf({ agent: agentOf([{ httpStatus: 400, message: 'no such model' }]) });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' })))).toEqual([
      step,
      { type: 'error', error: { message: expect.stringContaining('no such model'), code: expect.any(String) } },
    ]);
  });

  it('have the progress, the files and the custom events of a tool, which gets its place', async () => {
    const work = defineTool({
      name: 'echo',
      description: 'works',
      input: z.object({ value: z.string() }),
      execute: async (_, { progress, emit, request }) => {
        progress({ label: 'Resolving', phaseIndex: 1, totalPhases: 4, milestone: { matched: 142 } });
        await emit({ type: 'file_registered', id: 'file', path: 'plan.csv', mediaType: 'text/csv', size: 12 });
        await emit({ type: 'custom', name: 'acme-refresh', data: { runId: 'fr-42' } });
        await emit({ type: 'custom', name: 'flow-ui', data: { dsl: 'row()' } });
        const { threadId, resourceId, agent } = RuntimeContext.of(request);
        return { context: 'ok', result: { threadId, resourceId, agent } };
      },
    });
    const runtime = runtimeOf({ agent: agentOf(echoing), tools: [work] });
    expect(plain(await readAll(runtime.query('Hi', { threadId: 'thread' })))).toEqual([
      step,
      { ...call, state: 'call' },
      {
        type: 'tool-progress',
        toolName: 'echo',
        toolCallId: 'id-1/call_1',
        label: 'Resolving',
        phaseIndex: 1,
        totalPhases: 4,
        milestone: { matched: 142 },
      },
      {
        type: 'data-file-registered',
        data: { id: 'file', path: 'plan.csv', mediaType: 'text/csv', size: 12, toolCallId: 'id-1/call_1' },
      },
      { type: 'custom', event_type: 'acme-refresh', data: { runId: 'fr-42' } },
      { type: 'data-flow-ui', data: { dsl: 'row()' } },
      { ...call, state: 'result', result: { threadId: 'thread', resourceId: 'acme', agent: 'main' } },
      step,
      text('Done.'),
      ...ending([['main', 20, 2]], { tools: ['echo'] }),
    ]);
  });

  it('have every milestone that a tool reports at the same time', async () => {
    const phases = [1, 2, 3].map(phaseIndex => ({ label: 'Build', phaseIndex, totalPhases: 3, milestone: phaseIndex }));
    const build = defineTool({
      name: 'echo',
      description: 'builds',
      input: z.object({ value: z.string() }),
      execute: (_, { progress }) => {
        for (const phase of phases) progress(phase);
        return 'ok';
      },
    });
    const events = await readAll(runtimeOf({ agent: agentOf(echoing), tools: [build] }).query('Hi'));
    expect(events.filter(({ type }) => type === 'tool-progress')).toMatchObject(phases);
  });
});
