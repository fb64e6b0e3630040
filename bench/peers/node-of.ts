import type { EventOf } from 'singletree/events';
import type { Node } from 'singletree/graph';
import type { ConversationEvent } from '../conversation.ts';

/** Whether an event is a fragment that grows a node when the node is there. */
export function isFragment(event: ConversationEvent): event is EventOf<'text' | 'reasoning'> {
  return event.type === 'text' || event.type === 'reasoning';
}

/** The node an event makes, as a hand-written reducer would make it; undefined for none. Usage nodes are numbered. */
export function nodeOf(event: ConversationEvent, usage: number): Node | undefined {
  const { runId } = event;
  switch (event.type) {
    case 'text':
      return { id: event.id, runId, kind: 'text', content: event.content };
    case 'reasoning':
      return { id: event.id, runId, kind: 'reasoning', content: event.content };
    case 'tool_call':
      return { id: event.id, runId, kind: 'tool_call', name: event.name, input: event.input };
    case 'tool_result':
      return { id: `${event.id}:result`, runId, kind: 'tool_result', name: event.name, output: event.output };
    case 'user':
      return { id: `${runId}:user`, runId, kind: 'user', content: event.content };
    case 'harness_start':
      return { id: `${runId}:harness_start`, runId, kind: 'harness_start', agentId: event.agentId };
    case 'harness_end':
      return { id: `${runId}:harness_end`, runId, kind: 'harness_end', agentId: event.agentId, reason: event.reason };
    case 'usage': {
      const { inputTokens, outputTokens } = event;
      return { id: `${runId}:usage:${usage}`, runId, kind: 'usage', inputTokens, outputTokens };
    }
    case 'step_start':
    case 'tool_start':
      break;
  }
  return undefined;
}
