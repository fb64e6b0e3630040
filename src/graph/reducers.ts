import type { AgentEvent, EventOf, Handlers } from '../events/index.ts';
import type { Node } from './node.ts';
import type { Step } from './step.ts';

const reducers: Handlers<[Step], void> = {
  text: (event, step) => step.grow(event.id, 'text', undefined, event.content),
  reasoning: (event, step) => step.grow(event.id, 'reasoning', undefined, event.content),
  repl_progress: (event, step) => step.grow(`${event.id}:progress`, 'repl_progress', event.stream, event.chunk),

  tool_call: ({ id, runId, name, input }, step) =>
    step.put({ id: step.claim(id), runId, kind: 'tool_call', name, input }),
  tool_result: ({ id, runId, name, output }, step) =>
    step.put({ id: step.claim(`${id}:result`), runId, kind: 'tool_result', name, output }),
  tool_progress: ({ id, runId, toolCallId, name, content }, step) =>
    step.put({ id: step.claim(id), runId, kind: 'tool_progress', toolCallId, name, content }),

  user: ({ runId, content }, step) => step.put({ id: step.claim(`${runId}:user`), runId, kind: 'user', content }),
  harness_start: ({ runId, agentId }, step) =>
    step.put({ id: step.claim(`${runId}:harness_start`), runId, kind: 'harness_start', agentId }),
  harness_end: (event, step) =>
    step.put(nodeWith(event, step.claim(`${event.runId}:harness_end`), ['agentId', 'reason'])),

  error: (event, step) => step.put(nodeWith(event, step.claim(`${event.runId}:error`), ['message', 'code', 'fatal'])),
  warning: (event, step) => step.put(nodeWith(event, step.claim(`${event.runId}:warning`), ['message', 'code'])),
  usage: (event, step) => step.put(nodeWith(event, step.number(`${event.runId}:usage`), usageFields)),

  relay: (event, step) => step.put(relayNode(event, step.claim(event.id))),
  relay_resolved: (event, step) => step.resolve(event),

  repl_input: (event, step) => step.put(nodeWith(event, step.claim(event.id), ['code', 'iteration'])),
  repl_output: (event, step) => step.put(nodeWith(event, step.claim(`${event.id}:output`), replOutputFields)),

  plan_status: (event, step) =>
    step.put(nodeWith(event, step.claim(`${event.planId}:${event.to}`), ['planId', 'from', 'to'])),
  tasks: ({ runId, tasks }, step) => step.put({ id: step.claim(`${runId}:tasks`), runId, kind: 'tasks', tasks }),
  file_registered: (event, step) =>
    step.put(nodeWith(event, step.claim(event.id), ['path', 'mediaType', 'size', 'toolCallId'])),
  unknown: ({ runId, raw }, step) => step.put({ id: step.claim(`${runId}:unknown`), runId, kind: 'unknown', raw }),
  custom: ({ runId, name, data }, step) =>
    step.put({ id: step.claim(`${runId}:custom`), runId, kind: 'custom', name, data }),

  step_start: makesNoNode,
  session: makesNoNode,
  tool_input_delta: makesNoNode,
  tool_start: makesNoNode,
  summary: makesNoNode,
  mode_changed: makesNoNode,
  model_changed: makesNoNode,
  branch_selected: makesNoNode,
  collapsed: makesNoNode,
  abort_requested: makesNoNode,
};

const byType = new Map(Object.entries(reducers) as [string, (event: AgentEvent, step: Step) => void][]);

/** Applies an event to the graph; ignores unknown types. */
export function applyEvent(event: AgentEvent, step: Step): void {
  byType.get(event.type)?.(event, step);
}

function makesNoNode(): void {}

const usageFields = [
  'inputTokens',
  'outputTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'model',
  'cost',
] as const;
const replOutputFields = ['stdout', 'error', 'done', 'iteration', 'durationMs', 'truncated'] as const;

/** Returns a node with the named fields; an absent field stays absent. */
function nodeWith<Event extends AgentEvent>(event: Event, id: string, fields: readonly (keyof Event)[]): Node {
  const node: Record<PropertyKey, unknown> = { id, runId: event.runId, kind: event.type };
  for (const field of fields) if (event[field] !== undefined) node[field] = event[field];
  return node as Node;
}

function relayNode(event: EventOf<'relay'>, id: string): Node {
  const { type, id: _id, parentId: _parent, ts: _ts, seq: _seq, line: _line, ...rest } = event;
  const { sessionId: _session, agentId: _agent, ...fields } = rest;
  return { ...fields, id, kind: type };
}
