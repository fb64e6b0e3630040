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
const rowsOf = ({ nodes }: Dag) =>
  [...new Set(nodes.map(({ y }) => y))]
    .toSorted((a, b) => a - b)
    .map(y => nodes.filter(node => node.y === y).map(({ id }) => id));

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
      's1 next s2',
      'a spawn s1',
      's2 return a:result',
      'b spawn t1',
      't1 return b:result',
      'a:result next end',
      'b:result next end',
      'u:user reply a',
      'u:user reply b',
    ]);
    expect(rowsOf(dag).slice(0, 2)).toEqual([['u:user'], ['a', 'b']]);
    expect(rowsOf(dag).at(-1)).toEqual(['end']);
    expect(dag.nodes.find(({ id }) => id === 's1')).toMatchObject({ label: 's1', kind: 'text', messageId: 's' });
  });

  it('frames subagents', () => {
    const { groups, nodes } = drawingOf(events);
    expect(groups).toMatchObject([
      { id: 's', label: 'helper' },
      { id: 't', label: 'helper' },
    ]);
    for (const { id, x, y, width, height } of groups)
      for (const node of nodes) {
        const isInside = node.x >= x && node.x < x + width && node.y >= y && node.y < y + height;
        expect(isInside).toBe(node.messageId === id);
      }
  });

  it('draws one branch, and all of them for the full history', () => {
    const edited = [...events, { type: 'user', runId: 'v', content: 'Stop.', parentMessageId: '' } as const];
    const conversation = reduce(edited);
    expect(projectDAG(conversation, defaultActive(conversation)).nodes.map(({ id }) => id)).toEqual(['v:user']);
    expect(drawingOf(edited).nodes).toHaveLength(drawingOf(events).nodes.length + 1);
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
});
