import { describe, expect, it } from 'vitest';
import type { Agent, InvokeParams } from '../../../agents/contract/agent.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { runParams } from '../../../../test/support/run-params.ts';
import { drivenAgent } from './driven-agent.ts';

const params = runParams({ run: { runId: 'r' } });

/** An agent that takes steps until it is returned, and reports its parameters. */
function stepping(given: InvokeParams[], left: string[] = []): Agent {
  return {
    id: 'a',
    abilities: { resumable: true },
    async *invoke(with_) {
      given.push(with_);
      try {
        yield { type: 'harness_start', runId: 'r', agentId: 'a' };
        yield { type: 'step_start', runId: 'child', step: 0 };
        for (let step = 0; step < 3; step++) yield { type: 'step_start', runId: 'r', step };
        yield { type: 'harness_end', runId: 'r', agentId: 'a', reason: 'complete' };
      } finally {
        left.push('left');
      }
    },
  };
}

async function eventsOf(agent: Agent): Promise<AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of agent.invoke(params)) events.push(event);
  return events;
}

describe('a driven agent', () => {
  it('is the same agent with more parameters, observed', async () => {
    const given: InvokeParams[] = [];
    const seen: AgentEvent[] = [];
    const agent = drivenAgent(stepping(given), {
      prepare: async ({ run }) => ({ run: { model: `model of ${run.runId}` }, host: { runMark: 'mark' } }),
      onEvent: event => void seen.push(event),
    });
    expect([agent.id, agent.abilities]).toEqual(['a', { resumable: true }]);
    expect(await eventsOf(agent)).toEqual(seen);
    expect(given).toEqual([{ ...params, run: { ...params.run, model: 'model of r' }, host: { runMark: 'mark' } }]);
    expect(seen).toHaveLength(6);
  });

  it('ends between two of its own steps', async () => {
    const left: string[] = [];
    const agent = drivenAgent(stepping([], left), { prepare: async () => ({}), endsBefore: step => step === 1 });
    expect(
      (await eventsOf(agent)).map(event => ('step' in event ? `${event.runId} ${event.step}` : event.type)),
    ).toEqual(['harness_start', 'child 0', 'r 0', 'harness_end']);
    expect(left).toEqual(['left']);
  });

  it('that is returned during preparation does not start', async () => {
    let prepared = () => {};
    const prepare = () => new Promise<object>(resolve => (prepared = () => resolve({})));
    const begun: string[] = [];
    const agent: Agent = {
      id: 'a',
      async *invoke() {
        begun.push('begun');
        yield { type: 'harness_start', runId: 'r', agentId: 'a' };
      },
    };
    const events = drivenAgent(agent, { prepare }).invoke(params)[Symbol.asyncIterator]();
    const next = events.next();
    await events.return?.();
    prepared();
    expect(await next).toEqual({ done: true, value: undefined });
    expect(begun).toEqual([]);
  });
});
