import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { conversationLog } from '../../test/support/random-conversations.ts';
import { eventStream } from '../../test/support/random-events.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../graph/conversation/conversation.ts';
import { defaultActive, fullHistory } from '../graph/conversation/active.ts';
import { type Dag, dagFold, type DagOptions, projectDAG } from './project-dag.ts';

const reduce = (events: readonly AgentEvent[]) => events.reduce(reduceConversation, createConversation());
const drawingOf = (events: readonly AgentEvent[], options: DagOptions = {}) => {
  const conversation = reduce(events);
  return projectDAG(conversation, fullHistory(conversation), options);
};
const text = (runId: string, id: string): AgentEvent => ({ type: 'text', runId, id, content: id });
const start = (runId: string, parentId: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  parentId,
  agentId: 'helper',
});
const call = (runId: string, id: string): AgentEvent => ({ type: 'tool_call', runId, id, name: 'agent', input: {} });
const result = (runId: string, id: string): AgentEvent => ({
  type: 'tool_result',
  runId,
  id,
  name: 'agent',
  output: { context: 1 },
});
const edgesOf = ({ edges }: Dag) => edges.map(({ from, to, kind }) => `${from} ${kind} ${to}`);
const cell = ({ nodes }: Dag, id: string) => {
  const node = nodes.find(node => node.id === id);
  return node && [node.x / 220, node.y / 64];
};

describe('the drawing', () => {
  const events = [
    { type: 'user', runId: 'u', content: 'Go.' } as const,
    start('r', 'u:user'),
    call('r', 'a'),
    call('r', 'b'),
    start('s', 'a'),
    text('s', 's1'),
    start('t', 'b'),
    text('t', 't1'),
    text('s', 's2'),
    result('r', 'a'),
    result('r', 'b'),
    text('r', 'end'),
  ];

  it('has everything below what it came after, subagents beside the call that started them', () => {
    const dag = drawingOf(events);
    expect(edgesOf(dag)).toEqual([
      'u:user reply a',
      'a next b',
      'a spawn s1',
      'b spawn t1',
      's1 next s2',
      'b next a:result',
      's2 return a:result',
      'a:result next b:result',
      't1 return b:result',
      'b:result next end',
    ]);
    expect(['a', 'b', 's1', 's2', 't1', 'a:result', 'end'].map(id => cell(dag, id))).toEqual([
      [0, 1],
      [0, 2],
      [1, 2],
      [1, 3],
      [2, 3],
      [0, 4],
      [0, 6],
    ]);
  });

  it('frames subagents', () => {
    expect(drawingOf(events).groups).toMatchObject([
      { id: 's', label: 'helper', nodeIds: ['s1', 's2'] },
      { id: 't', label: 'helper', nodeIds: ['t1'] },
    ]);
  });

  it('is of chunks, blocks or messages', () => {
    expect(drawingOf(events, { by: 'message' }).nodes.map(({ id }) => id)).toEqual(['u:user', 'r', 's', 't']);
    expect(drawingOf(events, { by: 'block' }).nodes.map(({ id }) => id)).toEqual([
      'u:user:block:1',
      'r:block:1',
      's:block:1',
      't:block:1',
      'r:block:2',
    ]);
  });

  it('uses the lane of a subagent again once it came back', () => {
    const again = [call('r', 'c'), start('v', 'c'), text('v', 'v1'), result('r', 'c')];
    expect(cell(drawingOf([...events, ...again]), 'v1')?.[0]).toBe(1);
  });
});

describe('laws of the drawing', () => {
  const tiers = ['chunk', 'block', 'message'] as const;
  const log = () => fc.tuple(fc.oneof(conversationLog(), eventStream()), fc.constantFrom(...tiers));

  it('kept up event by event, it is what it is from scratch', () => {
    fc.assert(
      fc.property(log(), ([events, by]) => {
        const { initial, step, view } = dagFold({ by });
        let state = initial;
        for (const event of events) state = step(state, event);
        const conversation = reduce(structuredClone(events));
        expect(view(state)).toEqual(projectDAG(conversation, defaultActive(conversation), { by }));
      }),
    );
  });

  it('nothing overlaps, every edge goes down between drawn nodes, and every id exists once', () => {
    fc.assert(
      fc.property(log(), ([events, by]) => {
        const { nodes, edges } = drawingOf(events, { by });
        const byId = new Map(nodes.map(node => [node.id, node]));
        expect(byId.size).toBe(nodes.length);
        expect(new Set(nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(nodes.length);
        for (const { from, to } of edges)
          expect((byId.get(from) as { y: number }).y).toBeLessThan((byId.get(to) as { y: number }).y);
      }),
    );
  });

  it('a node never moves', () => {
    fc.assert(
      fc.property(log(), ([events, by]) => {
        const after = new Map(drawingOf(events, { by }).nodes.map(({ id, x, y }) => [id, { x, y }]));
        const before = drawingOf(events.slice(0, events.length / 2), { by });
        for (const { id, x, y } of before.nodes) expect(after.get(id) ?? { x, y }).toEqual({ x, y });
      }),
    );
  });
});
