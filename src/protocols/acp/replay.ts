import type { EventOf } from '../../events/vocabulary.ts';
import type { ReplPart, ToolPart, ViewNode, ViewPart } from '../../projections/reading/view-node.ts';
import type { ThreadReading } from '../../projections/reading/thread-reading.ts';
import { toPlanUpdate } from './acp-encoder.ts';
import type { AcpUpdate } from './acp-update.ts';
import { toUserChunks } from './message-content.ts';
import { type CallPlace, toAcpCall, toRelayCall } from './tool-call.ts';

/**
 * Yields the visible content of a thread as updates: messages, reasoning, every call in its latest state, and the
 * newest task list. Later events continue the messages and calls that are open.
 */
export function* replayUpdates(reading: Pick<ThreadReading, 'nodes'>, cwd?: string): Generator<AcpUpdate> {
  let tasks: EventOf<'tasks'>['tasks'] | undefined;
  for (const { parts, memory } of reading.nodes) {
    if (memory !== undefined) continue;
    for (const part of parts) {
      yield* replayPart(part, { cwd });
      if (part.kind === 'fact' && part.event.type === 'tasks') ({ tasks } = part.event);
    }
  }
  if (tasks !== undefined) yield toPlanUpdate(tasks);
}

function* replayPart(part: ViewPart, place: CallPlace): Generator<AcpUpdate> {
  switch (part.kind) {
    case 'text':
    case 'reasoning': {
      const sessionUpdate = part.kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
      if (part.text !== '') yield { sessionUpdate, messageId: part.id, content: { type: 'text', text: part.text } };
      return;
    }
    case 'user':
      if (part.automatic !== true) yield* toUserChunks(part.id, part.content);
      return;
    case 'tool':
      yield* replayCall(part, place);
      return;
    case 'repl':
      yield* replayCall(toToolPart(part), place);
      return;
    case 'relay': {
      const { relay, status, answer } = part;
      const isRefused = status === 'closed' || answer?.outcome === 'reject';
      const standing = status === 'pending' ? 'pending' : isRefused ? 'failed' : 'completed';
      yield { sessionUpdate: 'tool_call', ...toRelayCall(relay, standing, place) };
      return;
    }
    case 'run':
      yield* replaySubagents(part.runs, place);
      return;
    default:
  }
}

function* replayCall(
  part: Pick<ToolPart, 'runs'> & Parameters<typeof toAcpCall>[0],
  place: CallPlace,
): Generator<AcpUpdate> {
  yield { sessionUpdate: 'tool_call', ...toAcpCall(part, place) };
  yield* replaySubagents(part.runs, place);
}

/** The calls of subagents; their text is in the result of the call that started them. */
function* replaySubagents(runs: readonly ViewNode[], { cwd }: CallPlace): Generator<AcpUpdate> {
  for (const { parts, agentId = 'agent' } of runs)
    for (const part of parts)
      if (part.kind !== 'text' && part.kind !== 'reasoning' && part.kind !== 'user')
        yield* replayPart(part, { cwd, subagent: agentId });
}

function toToolPart({ id, code, output, runs }: ReplPart): Pick<ToolPart, 'runs'> & Parameters<typeof toAcpCall>[0] {
  const ended =
    output === undefined
      ? undefined
      : output.error === undefined
        ? { context: output.stdout }
        : { error: output.error };
  const status = ended === undefined ? 'running' : 'error' in ended ? 'failed' : 'done';
  return { id, name: 'repl', input: { code }, status, runs, ...(ended !== undefined && { output: ended }) };
}
