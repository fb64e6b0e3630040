import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { createActivityState, projectActivity } from './project-activity.ts';

const events = (outcome: 'approve' | 'revise'): AgentEvent[] => [
  { type: 'harness_start', runId: 'r', agentId: 'claude' },
  { type: 'tool_call', runId: 'r', id: 'c', name: 'Bash', input: { command: 'touch a' } },
  {
    type: 'relay',
    runId: 'r',
    id: 'q',
    relayKind: 'permission',
    toolCallId: 'c',
    tool: 'Bash',
    params: { command: 'touch a' },
  },
  { type: 'relay_resolved', runId: 'r', relayId: 'q', outcome, input: { command: 'touch b' } },
  { type: 'tool_result', runId: 'r', id: 'c', name: 'Bash', output: { context: '' } },
];

describe('the activity of a call that a person was asked about', () => {
  it.each([
    ['revise', 'touch b'],
    ['approve', 'touch a'],
  ] as const)('is the command that ran after %s', (outcome, command) => {
    const state = createActivityState();
    const activity = events(outcome).flatMap(event => projectActivity(state, event));
    expect(activity).toMatchObject([{ type: 'command', command }]);
  });
});
