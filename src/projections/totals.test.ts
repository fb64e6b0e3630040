import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog, unlogged } from '../../test/support/random-conversations.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { foldAll } from './fold.ts';
import { runStatus } from './run-status.ts';
import { totals } from './totals.ts';

const at = (seconds: number, event: AgentEvent): AgentEvent => ({
  ...event,
  ts: new Date(1_700_000_000_000 + seconds * 1000).toISOString(),
});
const runId = 'r';
const relay: AgentEvent = {
  type: 'relay',
  runId,
  id: 'q',
  relayKind: 'permission',
  toolCallId: 'c',
  tool: 'shell',
  params: {},
};
const usage: AgentEvent = { type: 'usage', runId, inputTokens: 10, outputTokens: 5, cost: 0.5 };
const events = [
  at(0, { type: 'harness_start', runId, agentId: 'coder', parentId: 'u:user' }),
  at(1, { type: 'step_start', runId, step: 0, model: 'm' }),
  at(3, { type: 'text', runId, id: 't', content: 'Let me look.' }),
  at(4, { type: 'tool_call', runId, id: 'c', name: 'shell', input: {} }),
  at(5, usage),
  at(5, relay),
  at(15, { type: 'relay_resolved', runId, relayId: 'q', outcome: 'approve' }),
  at(15, { type: 'tool_start', runId, id: 'c', name: 'shell' }),
  at(18, { type: 'tool_result', runId, id: 'c', name: 'shell', output: { context: '' } }),
  at(18, { type: 'step_start', runId, step: 1, model: 'm' }),
  at(20, { type: 'text', runId, id: 't2', content: 'Done.' }),
  at(20, { ...usage, model: 'other', cacheReadTokens: 4 }),
  at(21, { type: 'harness_end', runId, agentId: 'coder', reason: 'complete' }),
];

describe('totals', () => {
  it('are tokens, cost and times of runs, agents and models', () => {
    const spent = { toolCalls: 1, modelMs: 6000, toolMs: 3000, approvalMs: 10_000, firstTextMs: 3000, firstTexts: 1 };
    const used = { inputTokens: 20, outputTokens: 10, cacheReadTokens: 4, cost: 1, modelCalls: 2 };
    const view = foldAll(totals, events);
    expect(view.all).toEqual({ ...spent, ...used });
    expect(view.runs).toEqual([{ runId, ...spent, ...used }]);
    expect(view.agents).toEqual([{ agentId: 'coder', ...spent, ...used }]);
    expect(view.models.map(({ modelId, inputTokens, cost }) => [modelId, inputTokens, cost])).toEqual([
      ['m', 10, 0.5],
      ['other', 10, 0.5],
    ]);
  });

  it('are calls, failures and times of tools', () => {
    const failed = [
      at(22, { type: 'tool_call', runId, id: 'd', name: 'shell', input: {} }),
      at(23, { type: 'tool_result', runId, id: 'd', name: 'shell', output: { error: 'no' } }),
      at(24, { type: 'tool_call', runId, id: 'e', name: 'read', input: {} }),
    ];
    expect(foldAll(totals, [...events, ...failed]).tools).toEqual([
      { tool: 'shell', toolCalls: 2, failedCalls: 1, toolMs: 4000 },
      { tool: 'read', toolCalls: 1, failedCalls: 0, toolMs: 0 },
    ]);
  });

  it('leave out what was never reported', () => {
    const { all } = foldAll(totals, [{ type: 'usage', runId, inputTokens: 1, outputTokens: 1 }]);
    expect(all).not.toHaveProperty('cost');
    expect(all).not.toHaveProperty('firstTextMs');
  });

  it('take the time of the model from the calls between when a run reports no steps', () => {
    const view = foldAll(
      totals,
      events.filter(({ type }) => type !== 'step_start'),
    );
    expect(view.all.modelMs).toBe(7000);
  });
});

describe('run status', () => {
  it('shows whether a run works, waits for a person or has ended, and what is open', () => {
    expect(foldAll(runStatus, events.slice(0, 4))).toMatchObject([
      { status: 'running', step: 0, openCalls: 1, model: 'm' },
    ]);
    expect(foldAll(runStatus, events.slice(0, 6))).toMatchObject([{ status: 'waiting', openRelays: 1 }]);
    expect(foldAll(runStatus, events)).toMatchObject([
      {
        runId,
        agentId: 'coder',
        status: 'complete',
        openCalls: 0,
        openRelays: 0,
        startedAt: events[0]?.ts,
        endedAt: events.at(-1)?.ts,
      },
    ]);
  });
});

describe.each(Object.entries({ totals, runStatus }))('laws of %s', (_, fold) => {
  const { initial, step, view } = fold as {
    initial: object;
    step: (state: object, event: AgentEvent) => object;
    view: (state: object) => unknown;
  };

  it('older states stay as they were, and an event that was seen adds nothing', () => {
    fc.assert(
      fc.property(conversationLog(40), events => {
        let state = initial;
        const history: [object, unknown][] = [];
        for (const event of events) {
          state = step(state, event);
          history.push([state, structuredClone(view(state))]);
        }
        for (const [older, then] of history) expect(view(older)).toEqual(then);
        expect(view(events.reduce(step, state))).toEqual(view(state));
        expect(view([...new Set(events)].reduce(step, initial))).toEqual(view(state));
      }),
      { numRuns: 50 },
    );
  });

  it('going on from an older state is the same as replaying its events with the new ones', () => {
    fc.assert(
      fc.property(conversationLog(40), fc.nat(40), (events, cut) => {
        const plain = unlogged(events);
        const older = plain.slice(0, cut).reduce(step, initial);
        plain.slice(cut).reduce(step, older);
        const others = plain.slice(0, 10);
        expect(view(others.reduce(step, older))).toEqual(
          view([...plain.slice(0, cut), ...others].reduce(step, initial)),
        );
      }),
      { numRuns: 50 },
    );
  });
});
