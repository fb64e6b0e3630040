import { describe, expect, it } from 'vitest';
import type { AgentEvent, LoggedEvent } from '../events/vocabulary.ts';
import { projectModelCall } from './model-call.ts';

const context = { type: 'model_context', id: 'c', provider: 'p', instructions: 'Be brief.', settings: {}, tools: [] };
const call = (runId: string, callId: string, step = 0) => [
  { type: 'step_start', runId, step, callId, model: 'm', contextId: 'c' },
  { type: 'reasoning', runId, id: `${callId}/r`, callId, content: 'Hm.' },
  { type: 'text', runId, id: `${callId}/t`, callId, content: `Answer ${callId}.` },
  { type: 'usage', runId, callId, inputTokens: 9, outputTokens: 3, cacheReadTokens: 4, cost: 0.5 },
];
const run = (n: number, ...events: object[]) => [
  { type: 'user', runId: `u${n}`, id: `m${n}`, content: `Question ${n}` },
  { type: 'harness_start', runId: `r${n}`, agentId: 'a', parentId: `u${n}:user` },
  ...events,
  { type: 'harness_end', runId: `r${n}`, agentId: 'a' },
];
const logged = (events: readonly object[]) =>
  events.map((event, index) => ({
    ...(event as AgentEvent),
    seq: index + 1,
    ts: new Date(1_000 * index).toISOString(),
  })) as LoggedEvent[];

describe('a model call', () => {
  const events = logged([...run(1, { ...context, runId: 'r1' }, ...call('r1', 'c1')), ...run(2, ...call('r2', 'c2'))]);
  const of = (callId: string) => events.find(event => event.type === 'step_start' && event.callId === callId)?.seq ?? 0;

  it('has what was sent, what came back and what it took', () => {
    expect(projectModelCall(events, of('c1'))).toMatchObject({
      step: 0,
      model: 'm',
      request: { instructions: 'Be brief.', messages: [{ role: 'user', content: 'Question 1' }] },
      answer: { reasoning: 'Hm.', text: 'Answer c1.', calls: [] },
      usage: { inputTokens: 9, cacheReadTokens: 4, cost: 0.5 },
      firstMs: 1_000,
      wholeMs: 3_000,
    });
    expect(projectModelCall(events, of('c1'))?.difference).toBeUndefined();
  });

  it('names what differs from the last call of an earlier turn', () => {
    expect(projectModelCall(events, of('c2'))?.difference).toEqual({
      seq: of('c1'),
      sameMessages: 1,
      messagesBefore: 1,
      changed: [],
    });
  });

  it('is found by each of its events, and by no other one', () => {
    expect(projectModelCall(events, of('c2') + 2)?.seq).toBe(of('c2'));
    expect(projectModelCall(events, 1)).toBeUndefined();
    expect(projectModelCall(events, 99)).toBeUndefined();
  });

  it('has no request where the log does not have one', () => {
    const unknown = logged(run(1, { type: 'step_start', runId: 'r1', step: 0 }, { ...call('r1', 'x')[2] }));
    expect(projectModelCall(unknown, 3)).toMatchObject({ answer: { text: 'Answer x.' } });
    expect(projectModelCall(unknown, 3)?.request).toBeUndefined();
  });
});
