import { deepStrictEqual } from 'node:assert';
import { inspect } from 'node:util';
import { describe, expect, expectTypeOf, it } from 'vitest';
import type { AgentEvent } from '../events/vocabulary.ts';
import { createGraph, type Graph, reduceEvent } from './graph.ts';
import { getChildren, getNodesInRun, getText, getToolCalls, walkDFS } from './queries.ts';
import type { Node } from './node.ts';
import { toMap } from './view.ts';

const reduce = (events: readonly AgentEvent[], from: Graph = createGraph()) => events.reduce(reduceEvent, from);
const edgesOf = (graph: Graph) => [...graph.edges].flatMap(([from, to]) => to.map(child => `${from} → ${child}`));

const text = (runId: string, id: string, content: string): AgentEvent => ({ type: 'text', runId, id, content });
const usage = (runId: string, inputTokens = 1, outputTokens = 1): AgentEvent => ({
  type: 'usage',
  runId,
  inputTokens,
  outputTokens,
});
const call = (runId: string, id: string, name = 'bash', input: unknown = {}): AgentEvent => ({
  type: 'tool_call',
  runId,
  id,
  name,
  input,
});
const result = (runId: string, id: string, name = 'bash'): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name,
  output: { context: 'ok' },
});

describe('the graph of an agent with one tool call', () => {
  const runId = 'agent-1';
  const graph = reduce([
    { type: 'user', runId: 'user-1', content: 'List files' },
    { type: 'harness_start', runId, parentId: 'user-1:user', agentId: 'coder' },
    text(runId, 'text-1', "I'll list "),
    text(runId, 'text-1', 'the files...'),
    call(runId, 'tc-1', 'bash', { command: 'ls' }),
    usage(runId, 50, 20),
    {
      type: 'relay',
      runId,
      id: 'relay-1',
      relayKind: 'permission',
      toolCallId: 'tc-1',
      tool: 'bash',
      params: { command: 'ls' },
    },
    { type: 'relay_resolved', runId, relayId: 'relay-1', outcome: 'approve', by: 'ann' },
    { type: 'tool_start', runId, id: 'tc-1', name: 'bash' },
    { type: 'tool_result', runId, id: 'tc-1', name: 'bash', output: { context: 'file1.txt\nfile2.txt' } },
    text(runId, 'text-2', 'The directory contains...'),
    usage(runId, 70, 15),
    { type: 'harness_end', runId, agentId: 'coder' },
  ]);

  it('has the nodes, with their ids, kinds and fields', () => {
    expect([...graph.nodes.values()]).toEqual([
      { id: 'user-1:user', runId: 'user-1', kind: 'user', content: 'List files' },
      { id: 'agent-1:harness_start', runId, kind: 'harness_start', agentId: 'coder' },
      { id: 'text-1', runId, kind: 'text', content: "I'll list the files..." },
      { id: 'tc-1', runId, kind: 'tool_call', name: 'bash', input: { command: 'ls' } },
      { id: 'agent-1:usage:1', runId, kind: 'usage', inputTokens: 50, outputTokens: 20 },
      {
        id: 'relay-1',
        runId,
        kind: 'relay',
        relayKind: 'permission',
        toolCallId: 'tc-1',
        tool: 'bash',
        params: { command: 'ls' },
        resolution: { outcome: 'approve', by: 'ann' },
      },
      { id: 'tc-1:result', runId, kind: 'tool_result', name: 'bash', output: { context: 'file1.txt\nfile2.txt' } },
      { id: 'text-2', runId, kind: 'text', content: 'The directory contains...' },
      { id: 'agent-1:usage:2', runId, kind: 'usage', inputTokens: 70, outputTokens: 15 },
      { id: 'agent-1:harness_end', runId, kind: 'harness_end', agentId: 'coder' },
    ]);
  });

  it('has the edges', () => {
    expect(edgesOf(graph)).toEqual([
      'user-1:user → agent-1:harness_start',
      'agent-1:harness_start → text-1',
      'text-1 → tc-1',
      'tc-1 → agent-1:usage:1',
      'agent-1:usage:1 → relay-1',
      'relay-1 → tc-1:result',
      'tc-1:result → text-2',
      'text-2 → agent-1:usage:2',
      'agent-1:usage:2 → agent-1:harness_end',
    ]);
  });

  it('has the newest node of each run', () => {
    expect([...graph.lastNodeByRunId]).toEqual([
      ['user-1', 'user-1:user'],
      ['agent-1', 'agent-1:harness_end'],
    ]);
  });

  it('answers the common queries', () => {
    expect(getChildren(graph, 'tc-1').map(node => node.id)).toEqual(['agent-1:usage:1']);
    expect(getChildren(graph, 'nowhere')).toEqual([]);
    expect(getNodesInRun(graph, 'user-1').map(node => node.id)).toEqual(['user-1:user']);
    expect(getText(graph, runId)).toBe("I'll list the files...The directory contains...");
    expect(getToolCalls(graph, runId).map(node => node.input)).toEqual([{ command: 'ls' }]);
    const visited: string[] = [];
    walkDFS(graph, 'user-1:user', node => visited.push(node.id));
    expect(visited).toEqual([...graph.nodes.keys()]);
  });
});

describe('the graph of a subagent', () => {
  const graph = reduce([
    text('a1', 'text-1', "I'll search..."),
    call('a1', 'tc-1', 'agent', { task: 'search for X' }),
    { type: 'harness_start', runId: 'a2', parentId: 'tc-1', agentId: 'searcher' },
    text('a2', 'text-2', 'Searching...'),
    call('a2', 'tc-2', 'bash', { command: 'grep ...' }),
    result('a2', 'tc-2'),
    text('a2', 'text-3', 'Found results'),
    { type: 'harness_end', runId: 'a2', agentId: 'searcher' },
    result('a1', 'tc-1', 'agent'),
    text('a1', 'text-4', 'Based on the search...'),
  ]);

  it('branches off the tool call and comes back to the parent', () => {
    expect(edgesOf(graph)).toEqual([
      'text-1 → tc-1',
      'tc-1 → a2:harness_start',
      'tc-1 → tc-1:result',
      'a2:harness_start → text-2',
      'text-2 → tc-2',
      'tc-2 → tc-2:result',
      'tc-2:result → text-3',
      'text-3 → a2:harness_end',
      'tc-1:result → text-4',
    ]);
  });

  it('is walked depth first, children in order', () => {
    const visited: string[] = [];
    walkDFS(graph, 'tc-1', node => visited.push(node.id));
    expect(visited.slice(0, 3)).toEqual(['tc-1', 'a2:harness_start', 'text-2']);
    expect(visited.slice(-2)).toEqual(['tc-1:result', 'text-4']);
  });
});

describe('details beyond the seeds', () => {
  it('makes a node of each progress report and of each part of a repl execution', () => {
    const graph = reduce([
      { type: 'tool_progress', runId: 'r', id: 'p', toolCallId: 'c', name: 'bash', content: 1 },
      { type: 'repl_input', runId: 'r', id: 'x', code: 'print(1)', iteration: 0 },
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: 'a', stream: 'stdout' },
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: 'b', stream: 'stdout' },
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: '!', stream: 'stderr' },
      { type: 'repl_progress', runId: 'r', id: 'x', chunk: 'c', stream: 'stdout' },
      { type: 'repl_output', runId: 'r', id: 'x', stdout: 'abc', done: false },
    ]);
    expect([...graph.nodes.values()]).toEqual([
      { id: 'p', runId: 'r', kind: 'tool_progress', toolCallId: 'c', name: 'bash', content: 1 },
      { id: 'x', runId: 'r', kind: 'repl_input', code: 'print(1)', iteration: 0 },
      { id: 'x:progress', runId: 'r', kind: 'repl_progress', chunk: 'ab', stream: 'stdout' },
      { id: 'x:progress#2', runId: 'r', kind: 'repl_progress', chunk: '!', stream: 'stderr' },
      { id: 'x:progress#3', runId: 'r', kind: 'repl_progress', chunk: 'c', stream: 'stdout' },
      { id: 'x:output', runId: 'r', kind: 'repl_output', stdout: 'abc', done: false },
    ]);
  });

  it('never overwrites: a taken id gets the next free number', () => {
    const graph = reduce([
      { type: 'error', runId: 'r', message: 'one' },
      { type: 'error', runId: 'r', message: 'two' },
      call('r', 'c'),
      call('r', 'c#2'),
      call('r', 'c', 'read'),
      result('r', 'c'),
      result('r', 'c'),
    ]);
    expect([...graph.nodes.keys()]).toEqual(['r:error', 'r:error#2', 'c', 'c#2', 'c#3', 'c:result', 'c:result#2']);
    expect(graph.nodes.get('c')).toMatchObject({ name: 'bash' });
  });

  it('keeps text, reasoning and text of one id in their order', () => {
    const reasoning = (content: string): AgentEvent => ({ type: 'reasoning', runId: 'r', id: 'x', content });
    const graph = reduce([
      text('r', 'x', 'a'),
      reasoning('b'),
      reasoning('c'),
      text('r', 'x', 'd'),
      text('r', 'x', 'e'),
    ]);
    expect([...graph.nodes.values()].map(node => [node.id, node.kind, 'content' in node && node.content])).toEqual([
      ['x', 'text', 'a'],
      ['x#2', 'reasoning', 'bc'],
      ['x#3', 'text', 'de'],
    ]);
  });

  it('keeps the streams of two runs apart when they use the same id', () => {
    const graph = reduce([text('r1', 'x', 'a'), text('r2', 'x', 'b'), text('r1', 'x', 'c'), text('r2', 'x', 'd')]);
    expect([getText(graph, 'r1'), getText(graph, 'r2'), graph.nodes.size]).toEqual(['ac', 'bd', 2]);
  });

  it('draws the edge of a parent that arrives after its child', () => {
    const graph = reduce([
      { type: 'harness_start', runId: 'a2', parentId: 'c', agentId: 'x' },
      text('a1', 't', ''),
      call('a1', 'c'),
    ]);
    expect(edgesOf(graph)).toEqual(['t → c', 'c → a2:harness_start']);
  });

  it('omits an edge that would close a circle', () => {
    const graph = reduce([
      { ...call('a', 'ca'), parentId: 'cb' },
      { ...call('b', 'cb'), parentId: 'ca' },
      { ...call('c', 'cc'), parentId: 'cc' },
    ]);
    expect(edgesOf(graph)).toEqual(['ca → cb']);
  });

  it('ignores an event it has seen, by seq', () => {
    const first = reduce([{ ...text('r', 't', 'a'), seq: 1 }]);
    const second = reduceEvent(first, { ...text('r', 't', 'b'), seq: 2 });
    expect(reduceEvent(second, { ...text('r', 't', 'b'), seq: 2 })).toBe(second);
    expect(getText(second, 'r')).toBe('ab');
  });

  it('keeps the first answer of a relay', () => {
    const relay: AgentEvent = { type: 'relay', runId: 'r', id: 'q', relayKind: 'question', question: 'Which?' };
    const answer = (text: string): AgentEvent => ({
      type: 'relay_resolved',
      runId: 'r',
      relayId: 'q',
      outcome: 'answer',
      answer: text,
    });
    const graph = reduce([relay, answer('this'), answer('that')]);
    expect(graph.nodes.get('q')).toMatchObject({ resolution: { outcome: 'answer', answer: 'this' } });
  });

  it('returns the same graph for an event without a node', () => {
    const graph = reduce([text('r', 't', 'a')]);
    expect(reduceEvent(graph, { type: 'step_start', runId: 'r', step: 0 })).toBe(graph);
    expect(reduceEvent(graph, { type: 'constructor', runId: 'r' } as unknown as AgentEvent)).toBe(graph);
  });
});

describe('size', () => {
  it('walks a chain of 200,000 nodes, and a node with 200,000 children', () => {
    let graph = createGraph();
    for (let i = 0; i < 200_000; i++) graph = reduceEvent(graph, call('r', `c${i}`));
    for (let i = 0; i < 200_000; i++) graph = reduceEvent(graph, { ...call(`s${i}`, `d${i}`), parentId: 'c199999' });
    let count = 0;
    walkDFS(graph, 'c0', () => count++);
    expect(count).toBe(400_000);
  });
});

describe('the Maps of a graph', () => {
  const graph = reduce([
    { type: 'user', runId: 'u', content: 'Hi' },
    { ...text('r', 't', 'Hello'), parentId: 'u:user' },
  ]);
  const maps = [graph.nodes, graph.edges, graph.lastNodeByRunId];
  const nodes = new Map<string, unknown>([
    ['u:user', { kind: 'user', id: 'u:user', runId: 'u', content: 'Hi' }],
    ['t', { kind: 'text', id: 't', runId: 'r', content: 'Hello' }],
  ]);
  const edges = new Map([['u:user', ['t']]]);

  it('are instances of Map', () => {
    expectTypeOf(graph.nodes).toEqualTypeOf<Map<string, Node>>();
    expectTypeOf(graph.edges).toEqualTypeOf<Map<string, string[]>>();
    expectTypeOf(graph.lastNodeByRunId).toEqualTypeOf<Map<string, string>>();
    for (const map of maps) expect(map).toBeInstanceOf(Map);
  });

  it('print as Maps', () => {
    expect(inspect(graph.edges)).toBe(inspect(edges));
    expect(inspect({ nodes: graph.nodes })).toBe(inspect({ nodes: toMap(graph.nodes) }));
  });

  it('refuse writes', () => {
    for (const map of maps as Map<string, unknown>[])
      for (const write of [() => map.set('a', 'b'), () => map.delete('t'), () => map.clear()])
        expect(write).toThrow('A graph cannot be changed. Add an event with reduceEvent');
    graph.edges.get('u:user')?.push('x');
    expect(graph.edges.get('u:user')).toEqual(['t']);
  });

  it('are copied by toMap for cloning and comparing', () => {
    deepStrictEqual(toMap(graph.nodes), nodes);
    deepStrictEqual(structuredClone(toMap(graph.edges)), edges);
  });
});

describe('a graph from elsewhere', () => {
  it('is rejected', () => {
    const foreign = { nodes: new Map(), edges: new Map(), lastNodeByRunId: new Map() } as unknown as Graph;
    expect(() => reduceEvent(foreign, text('r', 't', ''))).toThrow('made by createGraph');
  });
});
