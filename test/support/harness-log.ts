import { defaultDisplayState } from '../../src/control/harness/display/display-state.ts';
import { reduceDisplayState } from '../../src/control/harness/display/reduce-display-state.ts';
import type { DisplayEvent } from '../../src/control/harness/harness-event.ts';
import { foldHarness } from '../../src/control/harness/projection/project-harness.ts';
import type { AgentEvent, LoggedEvent } from '../../src/events/index.ts';

/** Events as the log holds them, a quarter of a second apart. */
export function logged(events: readonly AgentEvent[]): LoggedEvent[] {
  return events.map((event, index) => ({
    ...event,
    seq: index + 1,
    ts: new Date(1_700_000_000_000 + index * 250).toISOString(),
  }));
}

/** One line for each event: its type and what tells it apart. */
export function line(event: DisplayEvent): string {
  switch (event.type) {
    case 'message_start':
    case 'message_update':
    case 'message_end': {
      const { role, stopReason, errorMessage } = event.message;
      return [event.type, role, stopReason, errorMessage].filter(Boolean).join(' ');
    }
    case 'tool_input_start':
    case 'tool_input_delta':
    case 'tool_input_end':
    case 'tool_start':
    case 'tool_approval_required':
    case 'tool_suspended':
    case 'tool_update':
    case 'tool_end':
    case 'shell_output':
      return `${event.type} ${event.toolCallId}`;
    case 'agent_end':
      return `agent_end ${event.reason}`;
    case 'relay_settled':
      return `(${event.slot} ${event.id} settled)`;
    case 'info':
      return `info ${event.message}`;
    case 'error':
      return `error ${event.error.message}`;
    default:
      return event.type;
  }
}

export const linesOf = (events: readonly AgentEvent[]) => foldHarness(logged(events)).events.map(line);
export const full = (events: readonly AgentEvent[]) => foldHarness(logged(events)).events;
export const display = (events: readonly AgentEvent[]) =>
  full(events).reduce((state, event) => reduceDisplayState(state, event, new Date(0)), defaultDisplayState());

export const runId = 'run';
export const asked: AgentEvent[] = [
  { type: 'user', runId: 'asked', content: 'Go.' },
  { type: 'harness_start', runId, agentId: 'a', parentId: 'asked:user' },
];
export const step = (number: number): AgentEvent => ({ type: 'step_start', runId, step: number });
export const text = (content: string, id = 't'): AgentEvent => ({ type: 'text', runId, id, content });
export const usage: AgentEvent = { type: 'usage', runId, inputTokens: 5, outputTokens: 2, cacheReadTokens: 1 };
export const call = (id: string, name = 'write'): AgentEvent => ({
  type: 'tool_call',
  runId,
  id,
  name,
  input: { path: id },
});
export const begin = (id: string, name = 'write'): AgentEvent => ({ type: 'tool_start', runId, id, name });
export const result = (id: string, output: object = { context: 'ok' }): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'write',
  output,
});
export const ask = (id: string, toolCallId: string): AgentEvent => ({
  type: 'relay',
  runId,
  id,
  relayKind: 'permission',
  toolCallId,
  tool: 'write',
  params: { path: toolCallId },
});
export const answer = (
  relayId: string,
  outcome: 'approve' | 'reject' | 'cancelled' | 'expired' | 'answer',
): AgentEvent => ({
  type: 'relay_resolved',
  runId,
  relayId,
  outcome,
});
export const end = (reason: 'complete' | 'aborted' | 'error' | 'max_iterations' = 'complete'): AgentEvent => ({
  type: 'harness_end',
  runId,
  agentId: 'a',
  reason,
});
export const begun = ['agent_start', 'message_start user', 'message_end user'];
