import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { aiSdkEncoder } from './ai-sdk-encoder.ts';
import { Waiting } from './waiting.ts';

const runId = 'run';
const call = (id: string): AgentEvent => ({ type: 'tool_call', runId, id, name: 'shell', input: {} });
const started = (id: string): AgentEvent => ({ type: 'tool_start', runId, id, name: 'shell' });
const result = (id: string): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'shell',
  output: { context: 'ok' },
});
const asked = (id: string): AgentEvent => ({
  type: 'relay',
  runId,
  id: `ask ${id}`,
  relayKind: 'permission',
  toolCallId: id,
  tool: 'shell',
  params: {},
});
const approved = (id: string): AgentEvent => ({
  type: 'relay_resolved',
  runId,
  relayId: `ask ${id}`,
  outcome: 'approve',
});
const begin: AgentEvent[] = [
  { type: 'harness_start', runId, agentId: 'a' },
  { type: 'step_start', runId, step: 0 },
];

/** What is known after each of the events, the beginning left out. */
function statesOf(events: readonly AgentEvent[], version: 6 | 7 = 7): string[] {
  const encoder = aiSdkEncoder({ version });
  const waiting = new Waiting();
  return [...begin, ...events]
    .map(event => {
      waiting.take(event, encoder.encode(event));
      return waiting.state;
    })
    .slice(begin.length);
}

describe('waiting for a person', () => {
  it('begins when everything that is open was asked about', () => {
    expect(statesOf([call('1'), asked('1'), approved('1'), started('1'), result('1')])).toEqual([
      'no',
      'yes',
      'no',
      'no',
      'no',
    ]);
  });

  it('is not sure while a call may still start, and not there while one works', () => {
    expect(statesOf([call('1'), call('2'), asked('1'), started('2'), result('2'), approved('1')])).toEqual([
      'no',
      'no',
      'maybe',
      'no',
      'yes',
      'no',
    ]);
  });

  it('counts a call that was approved as one that may start, for clients of every version', () => {
    for (const version of [6, 7] as const)
      expect(statesOf([call('1'), call('2'), asked('1'), asked('2'), approved('1')], version).slice(2)).toEqual([
        'maybe',
        'yes',
        'maybe',
      ]);
  });

  it('is not reported while something is being written', () => {
    const input: AgentEvent = { type: 'tool_input_delta', runId, id: '2', name: 'shell', delta: '{' };
    expect(statesOf([call('1'), input, asked('1'), call('2')]).slice(1)).toEqual(['no', 'no', 'maybe']);
  });

  it('sees through a call that waits for the agent it started', () => {
    const child: AgentEvent = { type: 'harness_start', runId: 'child', agentId: 'b', parentId: '1' };
    const inner = (event: AgentEvent) => ({ ...event, runId: 'child' });
    expect(statesOf([call('1'), started('1'), child, inner(call('2')), inner(asked('2'))]).slice(-2)).toEqual([
      'no',
      'yes',
    ]);
  });
});
