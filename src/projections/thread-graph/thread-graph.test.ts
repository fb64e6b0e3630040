import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import type { GraphDetail } from './message-items.ts';
import { graphNodeSize, projectThreadGraph, type ThreadGraph } from './thread-graph.ts';

function graphOf(events: readonly AgentEvent[], detail: Partial<GraphDetail> = {}): ThreadGraph {
  const conversation = events
    .map((event, index) => ({ ...event, seq: index + 1 }))
    .reduce(reduceConversation, createConversation());
  return projectThreadGraph(conversation, { by: 'chunk', isFolded: true, expanded: new Set(), ...detail });
}
const named = ({ nodes }: ThreadGraph) =>
  nodes.map(({ kind, label, detail }) => `${kind} ${label} ${detail}`.replace(/\s+/g, ' ').trim());
const lines = (graph: ThreadGraph) =>
  graph.edges.map(({ from, to }) => `${graph.nodes[from]?.seq}>${graph.nodes[to]?.seq}`).toSorted();

const user: AgentEvent = { type: 'user', runId: 'u', content: 'Go.' };
const start: AgentEvent = { type: 'harness_start', runId: 'r', agentId: 'coder', parentId: 'u:user' };
const end: AgentEvent = { type: 'harness_end', runId: 'r', agentId: 'coder', reason: 'complete' };
const call = (id: string, name = 'read'): AgentEvent => ({
  type: 'tool_call',
  runId: 'r',
  id,
  name,
  input: { path: id },
});
const result = (id: string, name = 'read'): AgentEvent => ({
  type: 'tool_result',
  runId: 'r',
  id,
  name,
  output: { context: 'ok' },
});
const step = (n: number): AgentEvent => ({ type: 'step_start', runId: 'r', step: n });

const parallel = [
  user,
  start,
  step(0),
  call('a'),
  call('b', 'shell'),
  result('a'),
  result('b', 'shell'),
  step(1),
  { type: 'text', runId: 'r', id: 't', content: 'Done.' },
  end,
] as AgentEvent[];
const delegated: AgentEvent[] = [
  user,
  start,
  step(0),
  call('a', 'agent'),
  { type: 'harness_start', runId: 'c', agentId: 'reader', parentId: 'a' },
  { type: 'text', runId: 'c', id: 'c/t', content: 'Notes.' },
  { type: 'harness_end', runId: 'c', agentId: 'reader', reason: 'complete' },
  result('a', 'agent'),
  step(1),
  { type: 'text', runId: 'r', id: 't', content: 'Done.' },
];

/** No two nodes overlap, and every line goes down. */
function expectOrderly({ nodes, edges }: ThreadGraph): void {
  const { width, height } = graphNodeSize;
  for (const [i, a] of nodes.entries())
    for (const b of nodes.slice(i + 1))
      expect(Math.abs(a.x - b.x) >= width || Math.abs(a.y - b.y) >= height).toBe(true);
  for (const { from, to } of edges) expect(nodes[from]?.y).toBeLessThan(nodes[to]?.y ?? 0);
}

describe('the graph of a thread', () => {
  it('draws calls of one step side by side', () => {
    const graph = graphOf(parallel);
    expect(named(graph)).toEqual(['user Go.', 'tool_call read a', 'tool_call shell b', 'text Done.']);
    const [, a, b] = graph.nodes;
    expect(a?.y).toBe(b?.y);
    expect(lines(graph)).toEqual(['1>4', '1>5', '4>9', '5>9']);
    expectOrderly(graph);
  });

  it('has a node for every chunk when nothing is folded', () => {
    const graph = graphOf(parallel, { isFolded: false });
    expect(named(graph)).toEqual([
      'user Go.',
      'tool_call read a',
      'tool_result read ok',
      'tool_call shell b',
      'tool_result shell ok',
      'text Done.',
    ]);
    expectOrderly(graph);
  });

  it('folds a finished subagent into a node, and frames it when it is opened', () => {
    const folded = graphOf(delegated);
    expect(named(folded)).toEqual(['user Go.', 'tool_call agent a', 'agent reader', 'text Done.']);
    expect(folded.nodes[2]).toMatchObject({ fold: { id: 'c', count: 1 }, status: 'done' });
    const open = graphOf(delegated, { expanded: new Set(['c']) });
    expect(named(open)).toEqual(['user Go.', 'tool_call agent a', 'text Notes.', 'text Done.']);
    expect(open.groups).toMatchObject([{ id: 'c', label: 'reader' }]);
    expect(lines(open)).toEqual(['1>4', '4>6', '6>10']);
    expectOrderly(open);
  });

  it('shows a subagent that runs', () => {
    expect(named(graphOf(delegated.slice(0, 6)))).toContain('text Notes.');
  });

  it('joins repeats of a tool, and opens them on demand', () => {
    const many = [user, start, ...[0, 1, 2, 3].flatMap(n => [step(n), call(`c${n}`), result(`c${n}`)]), end];
    expect(named(graphOf(many))).toEqual(['user Go.', 'tool_call read c0, c1, c2']);
    expect(graphOf(many).nodes[1]?.fold).toEqual({ id: 'repeat:c0', count: 4 });
    const open = graphOf(many, { expanded: new Set(['repeat:c0']) });
    expect(open.nodes).toHaveLength(5);
    expect(open.groups).toMatchObject([{ label: 'read ×4' }]);
    expectOrderly(open);
  });

  it('draws by message and by step', () => {
    expect(named(graphOf(delegated, { by: 'message' }))).toEqual([
      'user You Go.',
      'assistant coder Done.',
      'agent reader',
    ]);
    expect(named(graphOf(parallel, { by: 'block' }))).toEqual([
      'user You Go.',
      'assistant Step 1 read, shell',
      'assistant Step 2 Done.',
    ]);
  });

  it('draws versions of a message side by side', () => {
    const edited: AgentEvent = { type: 'user', runId: 'u2', content: 'Stop.', parentMessageId: '' };
    const graph = graphOf([...parallel, edited]);
    const [first, second] = [graph.nodes[0], graph.nodes.at(-1)];
    expect(second).toMatchObject({ detail: 'Stop.', y: first?.y });
    expectOrderly(graph);
  });

  it('draws a long chain of messages without deep recursion', () => {
    const turns = Array.from(
      { length: 5000 },
      (_, n): AgentEvent => ({ type: 'user', runId: `u${n}`, content: `${n}` }),
    );
    expect(graphOf(turns).nodes).toHaveLength(5000);
  });
});
