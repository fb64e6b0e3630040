import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { checkOrder } from '../events/order.ts';
import { createGraph, type Graph, reduceEvent } from '../graph/graph.ts';
import type { Agent } from './contract/agent.ts';
import { loopAgent } from './loop/loop-agent.ts';
import { defineTool } from './loop/tool.ts';
import { scriptByStep } from './model/scripted/script.ts';
import { scriptedModel } from './model/scripted/scripted-model.ts';
import { createOrchestrator, type Orchestrator } from './orchestrator.ts';
import { agentTool } from './subagents/agent-tool.ts';

const counting = (id: string, count: number): Agent => ({
  id,
  async *invoke({ run: { runId } }) {
    yield { type: 'harness_start', runId, agentId: id };
    for (let at = 0; at < count; at++) yield { type: 'text', runId, id: `${runId}/${at}`, content: `${at}` };
    yield { type: 'harness_end', runId, agentId: id, reason: 'complete' };
  },
});
const waiting = (id: string): Agent => ({
  id,
  async *invoke({ run: { runId, signal } }) {
    yield { type: 'harness_start', runId, agentId: id };
    await new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});
const failing: Agent = {
  id: 'failing',
  async *invoke({ run: { runId } }) {
    yield { type: 'harness_start', runId, agentId: 'failing' };
    throw new Error('broken');
  },
};

async function all(orchestrator: Orchestrator, onEvent?: (event: AgentEvent) => void): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of orchestrator.events()) {
    events.push(event);
    onEvent?.(event);
  }
  expect(checkOrder(events)).toEqual([]);
  return events;
}
const endsOf = (events: readonly AgentEvent[]) =>
  events.flatMap(event => (event.type === 'harness_end' ? [`${event.agentId} ${event.reason}`] : []));

describe('an orchestrator', () => {
  it('joins the events of any number of runs, in turns', async () => {
    const orchestrator = createOrchestrator();
    const ids = Array.from({ length: 50 }, (_, at) => orchestrator.spawn(counting(`a${at}`, 20)));
    const events = (await all(orchestrator)).filter(({ type }) => type !== 'user');
    expect(events).toHaveLength(50 * 22);
    const firstTwoRounds = events.slice(0, 100).map(event => event.runId);
    for (const id of ids) expect(firstTwoRounds.filter(runId => runId === id)).toHaveLength(2);
    expect(orchestrator.running()).toEqual([]);
  });

  it('is fair to a run that says little beside one that says much', async () => {
    const orchestrator = createOrchestrator();
    orchestrator.spawn(counting('much', 10_000));
    orchestrator.spawn(counting('little', 3));
    const events = await all(orchestrator);
    expect(events.findIndex(event => event.type === 'harness_end' && event.agentId === 'little')).toBeLessThan(12);
  });

  it('holds nothing back for a reader that is slow: runs wait', async () => {
    let made = 0;
    const endless: Agent = {
      id: 'endless',
      async *invoke({ run: { runId, signal } }) {
        yield { type: 'harness_start', runId, agentId: 'endless' };
        while (!signal.aborted) yield { type: 'text', runId, id: `${made++}`, content: 'x' };
      },
    };
    const orchestrator = createOrchestrator();
    orchestrator.spawn(endless);
    const reader = orchestrator.events();
    for (let taken = 0; taken < 5; taken++) await reader.next();
    await new Promise(resolve => setImmediate(resolve));
    expect(made).toBeLessThan(8);
  });

  it('keeps a failing run from disturbing the others', async () => {
    const orchestrator = createOrchestrator();
    orchestrator.spawn(failing);
    orchestrator.spawn(counting('fine', 5));
    const events = await all(orchestrator);
    expect(events.find(event => event.type === 'error')).toMatchObject({ message: 'broken', fatal: true });
    expect(endsOf(events).toSorted()).toEqual(['failing error', 'fine complete']);
  });

  it('kills a run with all that belongs to it, also one that does not listen', async () => {
    const orchestrator = createOrchestrator({ graceMs: 1 });
    const top = orchestrator.spawn(waiting('top'));
    const below = orchestrator.spawn(waiting('below'), { under: top });
    const deaf: Agent = {
      id: 'deaf',
      async *invoke({ run: { runId } }) {
        yield { type: 'harness_start', runId, agentId: 'deaf' };
        await new Promise(() => {});
      },
    };
    orchestrator.spawn(deaf, { under: below });
    orchestrator.spawn(counting('other', 3));
    let started = 0;
    let killed: Promise<void> | undefined;
    const events = await all(orchestrator, event => {
      if (event.type === 'harness_start' && ++started === 4) killed = orchestrator.kill(top);
    });
    await killed;
    expect(endsOf(events).toSorted()).toEqual(['below aborted', 'deaf aborted', 'other complete', 'top aborted']);
    await expect(orchestrator.kill(top)).rejects.toMatchObject({ code: 'run_not_found' });
  });

  it('answers what runs and their subagents ask: the first answer wins', async () => {
    const touch = defineTool({ name: 'touch', description: 't', input: z.object({}), execute: () => 'ok' });
    const child = loopAgent({
      id: 'child',
      model: scriptedModel(scriptByStep([[{ toolCall: { name: 'touch', input: {} } }], 'ok'])),
      tools: [touch],
    });
    const parent = loopAgent({
      id: 'parent',
      model: scriptedModel(scriptByStep([[{ toolCall: { name: 'agent', input: { task: 't' } } }], 'Done.'])),
      tools: [agentTool({ agents: [{ agent: child, description: 'c' }] })],
      permissions: { default: 'ask', rules: [{ tool: 'agent', policy: 'allow' }] },
    });
    const orchestrator = createOrchestrator();
    orchestrator.spawn(parent, { prompt: 'go' });
    let graph: Graph = createGraph();
    const events = await all(orchestrator, event => {
      graph = reduceEvent(graph, event);
      if (event.type !== 'relay') return;
      orchestrator.resolveRelay(event.id, { outcome: 'approve' });
      expect(() => orchestrator.resolveRelay(event.id, { outcome: 'reject' })).toThrow('the first answer counts');
    });
    expect(() => orchestrator.resolveRelay('nobody', { outcome: 'approve' })).toThrow('Nobody asked "nobody"');
    const relays = events.filter((event): event is EventOf<'relay_resolved'> => event.type === 'relay_resolved');
    expect(relays).toMatchObject([{ outcome: 'approve' }]);
    expect(events.findLast(event => event.type === 'text')).toMatchObject({ content: 'Done.' });
    expect(graph.nodes.size).toBeGreaterThan(8);
  });

  it('takes back what a killed run asked', async () => {
    const asking: Agent = {
      id: 'asking',
      async *invoke({ run: { runId, signal }, host: { answers } }) {
        yield { type: 'harness_start', runId, agentId: 'asking' };
        yield { type: 'relay', runId, id: 'q', relayKind: 'question', question: 'Which?' };
        await answers?.wait('q', signal);
      },
    };
    const orchestrator = createOrchestrator();
    const runId = orchestrator.spawn(asking);
    const events = await all(orchestrator, event => {
      if (event.type === 'relay') void orchestrator.kill(runId);
    });
    expect(events.slice(-2)).toMatchObject([
      { type: 'relay_resolved', relayId: 'q', outcome: 'cancelled' },
      { type: 'harness_end', reason: 'aborted' },
    ]);
  });

  it('has one reader at a time, and continues with the next', async () => {
    const orchestrator = createOrchestrator();
    orchestrator.spawn(counting('a', 3));
    const first = orchestrator.events();
    await first.next();
    await expect(orchestrator.events().next()).rejects.toThrow('there is one reader');
    await first.return(undefined);
    expect(endsOf(await rest(orchestrator))).toEqual(['a complete']);
    expect(await rest(orchestrator)).toEqual([]);
  });
});

async function rest(orchestrator: Orchestrator): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of orchestrator.events()) events.push(event);
  return events;
}
