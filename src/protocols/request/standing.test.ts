import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { RequestFold } from './request-fold.ts';

const runId = 'run';
const start: AgentEvent = { type: 'harness_start', runId, agentId: 'main' };
const step: AgentEvent = { type: 'step_start', runId, step: 0 };
const usage: AgentEvent = { type: 'usage', runId, inputTokens: 1, outputTokens: 1 };
const call = (id: string): AgentEvent => ({ type: 'tool_call', runId, id, name: 'shell', input: {} });
const begin = (id: string): AgentEvent => ({ type: 'tool_start', runId, id, name: 'shell' });
const result = (id: string): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'shell',
  output: { context: 'ok' },
});
const ask = (toolCallId: string, run = runId): AgentEvent => ({
  type: 'relay',
  runId: run,
  id: `ask ${toolCallId}`,
  relayKind: 'permission',
  toolCallId,
  tool: 'shell',
  params: {},
});
const approve = (id: string): AgentEvent => ({
  type: 'relay_resolved',
  runId,
  relayId: `ask ${id}`,
  outcome: 'approve',
});
const question: AgentEvent = { type: 'relay', runId, id: 'q', relayKind: 'question', question: 'Which?' };

/** Where a request stands after each event. */
function standings(events: readonly AgentEvent[]): string[] {
  const fold = new RequestFold();
  return events.map(event => {
    fold.take(event);
    return fold.standing;
  });
}

describe('a request', () => {
  it('works until it asks, and again when it is answered', () => {
    const asked = [start, step, call('a'), usage, ask('a')];
    expect(standings(asked)).toEqual(['working', 'working', 'working', 'working', 'waiting']);
    expect(standings([...asked, approve('a')]).at(-1)).toBe('working');
  });

  it('works while another call runs, and may while another one has not started', () => {
    const asked = [start, step, call('a'), call('b'), usage, ask('a')];
    expect(standings(asked).at(-1)).toBe('uncertain');
    expect(standings([...asked, begin('b')]).at(-1)).toBe('working');
    expect(standings([...asked, begin('b'), result('b')]).at(-1)).toBe('waiting');
    expect(standings([...asked, ask('b')]).at(-1)).toBe('waiting');
  });

  it('waits for a question that belongs to no call, unless its model writes', () => {
    expect(standings([start, step, usage, question]).at(-1)).toBe('waiting');
    const text: AgentEvent = { type: 'text', runId, id: 't', content: 'More.' };
    expect(standings([start, step, usage, question, text]).at(-1)).toBe('working');
    const input: AgentEvent = { type: 'tool_input_delta', runId, id: 'c', name: 'shell', delta: '{' };
    expect(standings([start, step, input, question]).at(-1)).toBe('working');
  });

  it('waits when a subagent of it does, and works while another one works', () => {
    const child = (id: string, parentId: string): AgentEvent[] => [
      { type: 'harness_start', runId: id, agentId: 'kid', parentId },
      { type: 'step_start', runId: id, step: 0 },
      { type: 'tool_call', runId: id, id: `${id}/c`, name: 'shell', input: {} },
      { type: 'usage', runId: id, inputTokens: 1, outputTokens: 1 },
    ];
    const one = [start, step, call('a'), call('b'), usage, begin('a'), ...child('kid-1', 'a'), ask('kid-1/c', 'kid-1')];
    expect(standings(one).at(-1)).toBe('uncertain');
    const both = [...one, begin('b'), ...child('kid-2', 'b')];
    expect(standings([...both, begin('kid-2/c')]).at(-1)).toBe('working');
    expect(standings([...both, ask('kid-2/c', 'kid-2')]).at(-1)).toBe('waiting');
  });
});
