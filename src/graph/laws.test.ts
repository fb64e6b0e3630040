import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventStream } from '../../test/support/random-events.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { createConversation, reduceConversation } from './conversation/conversation.ts';
import { createGraph, type Graph, reduceEvent } from './graph.ts';
import { getBlocks, getChunks, getMessages } from './conversation/queries.ts';

const plain = (graph: Graph) => ({
  nodes: structuredClone([...graph.nodes]),
  edges: structuredClone([...graph.edges]),
  last: [...graph.lastNodeByRunId],
  sizes: [graph.nodes.size, graph.edges.size, graph.lastNodeByRunId.size],
});
const replay = (events: readonly AgentEvent[], from = createGraph()) => events.reduce(reduceEvent, from);

describe('laws of the graph', () => {
  it('replay: the same events give the same graph', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        expect(plain(replay(events))).toEqual(plain(replay(structuredClone(events))));
        expect(replay(events)).toEqual(replay(structuredClone(events)));
      }),
    );
  });

  it('one name: reports of usage have the same ids in the graph and in the conversation', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        const conversation = events.reduce(reduceConversation, createConversation());
        const chunks = getMessages(conversation)
          .flatMap(({ id }) => getBlocks(conversation, id))
          .flatMap(({ id }) => getChunks(conversation, id));
        const ids = chunks.flatMap(({ id, kind }) => (kind === 'usage' ? [id] : []));
        const nodes = [...replay(events).nodes.values()].filter(({ kind }) => kind === 'usage');
        expect(ids.toSorted()).toEqual(nodes.map(({ id }) => id).toSorted());
      }),
    );
  });

  it('sizes: what is counted is what is iterated', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        const { nodes, edges, last, sizes } = plain(replay(events));
        expect(sizes).toEqual([nodes.length, edges.length, last.length]);
      }),
    );
  });

  it('acyclicity: every node has at most one parent, and no node is its own ancestor', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        const graph = replay(events);
        const parents = new Map<string, string>();
        for (const [from, children] of graph.edges)
          for (const child of children) {
            expect(parents.has(child)).toBe(false);
            parents.set(child, from);
          }
        for (const id of graph.nodes.keys()) {
          let steps = 0;
          for (let at = parents.get(id); at !== undefined; at = parents.get(at))
            expect(steps++).toBeLessThan(graph.nodes.size);
        }
      }),
    );
  });

  it('immutability: every older graph stays as it was', () => {
    fc.assert(
      fc.property(eventStream(), events => {
        let graph = createGraph();
        const history: [Graph, ReturnType<typeof plain>][] = [];
        for (const event of events) {
          graph = reduceEvent(graph, event);
          history.push([graph, plain(graph)]);
        }
        for (const [older, then] of history) expect(plain(older)).toEqual(then);
      }),
      { numRuns: 40 },
    );
  });

  it('forks: reducing an older graph is the same as replaying its events with the new ones, at any depth', () => {
    fc.assert(
      fc.property(eventStream(), fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 40 }), (events, steps) => {
        const branches: { graph: Graph; events: AgentEvent[] }[] = [{ graph: createGraph(), events: [] }];
        for (const [which, what] of steps) {
          const from = branches[which % branches.length];
          const event = events[what % Math.max(1, events.length)];
          if (from === undefined || event === undefined) continue;
          branches.push({ graph: reduceEvent(from.graph, event), events: [...from.events, event] });
        }
        for (const branch of branches) expect(plain(branch.graph)).toEqual(plain(replay(branch.events)));
      }),
      { numRuns: 60 },
    );
  });

  it('deep forks: a chain of branches longer than any bound stays right', () => {
    const event = (n: number): AgentEvent => ({ type: 'text', runId: 'r', id: `t${n % 3}`, content: `${n}` });
    let graph = createGraph();
    const events: AgentEvent[] = [];
    for (let n = 0; n < 100; n++) {
      reduceEvent(graph, { type: 'text', runId: 'r', id: 'elsewhere', content: 'x' });
      graph = reduceEvent(graph, event(n));
      events.push(event(n));
    }
    expect(plain(graph)).toEqual(plain(replay(events)));
  });

  it('repetition: the same step from the same graph gives the very same graph', () => {
    const graph = createGraph();
    const event: AgentEvent = { type: 'text', runId: 'r', id: 't', content: 'x' };
    expect(reduceEvent(graph, event)).toBe(reduceEvent(graph, event));
  });
});
