import type { AgentEvent, EventOf, Handlers } from '../events/vocabulary.ts';
import type { Node } from './node.ts';
import { claim, claimNumber, grow, put, resolve } from './step.ts';
import type { GraphDraft } from './tables.ts';

const reducers: Handlers<[GraphDraft], void> = {
  text: (event, draft) => grow(draft, event, event.id, 'text', event.content),
  reasoning: (event, draft) => grow(draft, event, event.id, 'reasoning', event.content),
  repl_progress: (event, draft) => grow(draft, event, `${event.id}:progress`, event.stream, event.chunk),

  tool_call: (event, draft) => add(draft, event, event.id, ['name', 'input']),
  tool_result: (event, draft) => add(draft, event, `${event.id}:result`, ['name', 'output']),
  tool_progress: (event, draft) => add(draft, event, event.id, ['toolCallId', 'name', 'content']),

  user: (event, draft) => addFact(draft, event, ['content']),
  harness_start: (event, draft) => addFact(draft, event, ['agentId']),
  harness_end: (event, draft) => addFact(draft, event, ['agentId', 'reason']),

  error: (event, draft) => addFact(draft, event, ['message', 'code', 'fatal']),
  warning: (event, draft) => addFact(draft, event, ['message', 'code']),
  usage: (event, draft) => put(draft, event, nodeWith(event, claimNumber(draft, `${event.runId}:usage`), usageFields)),

  relay: (event, draft) => put(draft, event, relayNode(event, claim(draft, event.id, event.runId))),
  relay_resolved: (event, draft) => resolve(draft, event),

  repl_input: (event, draft) => add(draft, event, event.id, ['code', 'iteration']),
  repl_output: (event, draft) => add(draft, event, `${event.id}:output`, replOutputFields),

  plan_status: (event, draft) => add(draft, event, `${event.planId}:${event.to}`, ['planId', 'from', 'to']),
  tasks: (event, draft) => addFact(draft, event, ['tasks']),
  file_registered: (event, draft) => add(draft, event, event.id, ['path', 'mediaType', 'size', 'toolCallId']),
  unknown: (event, draft) => addFact(draft, event, ['raw']),
  custom: (event, draft) => addFact(draft, event, ['name', 'data']),

  step_start: makesNoNode,
  session: makesNoNode,
  tool_input_delta: makesNoNode,
  tool_start: makesNoNode,
  summary: makesNoNode,
  mode_changed: makesNoNode,
  model_changed: makesNoNode,
  folder_changed: makesNoNode,
  grant_revoked: makesNoNode,
  branch_selected: makesNoNode,
  collapsed: makesNoNode,
  abort_requested: makesNoNode,
  steer_requested: makesNoNode,
  model_context: makesNoNode,
  message_queued: makesNoNode,
  message_changed: makesNoNode,
  message_withdrawn: makesNoNode,
  run_requested: makesNoNode,
};

const byType = new Map(Object.entries(reducers) as [string, (event: AgentEvent, draft: GraphDraft) => void][]);

/** Applies an event to the graph; ignores unknown types. */
export function applyEvent(draft: GraphDraft, event: AgentEvent): void {
  byType.get(event.type)?.(event, draft);
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

/** Adds a node with these fields of the event; its id is made from a name. */
function add<Event extends AgentEvent>(
  draft: GraphDraft,
  event: Event,
  name: string,
  fields: readonly (keyof Event)[],
): void {
  put(draft, event, nodeWith(event, claim(draft, name, event.runId), fields));
}

/** Adds a node that is named after its run and its type. */
function addFact<Event extends AgentEvent>(draft: GraphDraft, event: Event, fields: readonly (keyof Event)[]): void {
  add(draft, event, `${event.runId}:${event.type}`, fields);
}

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
