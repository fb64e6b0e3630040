import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../events/vocabulary.ts';
import { createGraph, reduceEvent } from '../graph/graph.ts';
import { startScriptedServer } from '../testing/scripted-server.ts';
import { cliAgent } from './cli/agent/cli-agent.ts';
import { createModelRegistry } from './model/registry/registry.ts';
import { createOrchestrator } from './orchestrator.ts';
import { loopAgent } from './loop/loop-agent.ts';
import { modelAgent } from './model/call/model-agent.ts';
import { rlmAgent } from './rlm/rlm-agent.ts';
import { scriptedModel } from './model/scripted/scripted-model.ts';

const messages = [{ role: 'user' as const, content: 'Hi' }];
const answer = () => scriptedModel(['```js\nFINAL("Hello")\n```', 'Hello']);

async function collect(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const list: AgentEvent[] = [];
  for await (const event of events) list.push(event);
  return list;
}

describe('an agent that is invoked with messages only', () => {
  it.each([
    ['a loop', () => loopAgent({ model: answer() })],
    ['one model call', () => modelAgent(answer())],
    ['a recursive language model', () => rlmAgent({ model: answer() })],
    ['an external program', () => cliAgent('codex', { executable: '/no/such/program' })],
  ])('has an id of its own: %s', async (_, make) => {
    const agent = make();
    const [first, second] = [
      await collect(agent.invoke({ conversation: { messages } })),
      await collect(agent.invoke({ conversation: { messages } })),
    ];
    expect(first.at(-1)).toMatchObject({ type: 'harness_end' });
    expect(new Set(first.map(({ runId }) => runId)).size).toBe(1);
    expect(first[0]?.runId).not.toBe(second[0]?.runId);
  });

  it('is refused when the messages are not in a conversation', () => {
    const agent = loopAgent({ model: answer() });
    expect(() => agent.invoke({ messages } as never)).toThrow('agent.invoke({ conversation: { messages');
  });

  it('may name a model without its provider', async () => {
    const server = await startScriptedServer({ script: ['Hello.'] });
    const env = { ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: server.url };
    const agent = loopAgent({ model: answer(), registry: createModelRegistry({ env }) });
    const events = await collect(agent.invoke({ run: { model: 'claude-sonnet-4-5' }, conversation: { messages } }));
    expect(events.at(-1)).toMatchObject({ reason: 'complete' });
    expect(server.requests[0]?.body).toMatchObject({ model: 'claude-sonnet-4-5' });
    await server.close();
  });
});

describe('a model id without a provider', () => {
  it('is refused with the candidates when no provider that has it is configured', async () => {
    await expect(createModelRegistry({ env: {} }).resolve('claude-sonnet-4-5')).rejects.toThrow(
      'The model id "claude-sonnet-4-5" names no provider that is configured. Use "anthropic/claude-sonnet-4-5" or ',
    );
    await expect(createModelRegistry({ env: {} }).resolve('no-such-model')).rejects.toThrow(
      'Expected "provider/model"',
    );
  });

  it('is refused with the candidates when several configured providers have it', async () => {
    const mirror = { id: 'mirror', pricesId: 'anthropic', baseURL: 'http://127.0.0.1:9/v1' };
    const registry = createModelRegistry({ env: { ANTHROPIC_API_KEY: 'key' }, providers: [mirror] });
    await expect(registry.resolve('claude-sonnet-4-5')).rejects.toThrow(
      'may be one of several providers. Use "anthropic/claude-sonnet-4-5" or "mirror/claude-sonnet-4-5".',
    );
    expect(registry.isConfigured('claude-sonnet-4-5')).toBe(false);
  });

  it('is a model of the one configured server whose models are not listed', async () => {
    const server = { baseURL: 'http://127.0.0.1:9/v1' };
    const one = createModelRegistry({ env: { ANTHROPIC_API_KEY: 'key' }, providers: [{ id: 'lab', ...server }] });
    expect(await one.resolve('glm-4.7')).toMatchObject({ provider: 'lab.chat', modelId: 'glm-4.7' });
    expect(await one.resolve('claude-sonnet-4-5')).toMatchObject({ provider: 'anthropic.messages' });
    one.register({ id: 'attic', ...server });
    await expect(one.resolve('glm-4.7')).rejects.toThrow('Use "lab/glm-4.7" or "attic/glm-4.7".');
  });
});

describe('the stream of an orchestrator', () => {
  it('contains the message of the person, which caused the run', async () => {
    const orchestrator = createOrchestrator();
    const runId = orchestrator.spawn(loopAgent({ model: scriptedModel(['Hello']) }), { prompt: 'Hi there' });
    const events = await collect(orchestrator.events());
    expect(events.slice(0, 2)).toMatchObject([
      { type: 'user', content: 'Hi there' },
      { type: 'harness_start', runId, parentId: `${events[0]?.runId}:user` },
    ]);
    const graph = events.reduce(reduceEvent, createGraph());
    expect(graph.edges.get(`${events[0]?.runId}:user`)).toEqual([`${runId}:harness_start`]);
  });

  it('contains no message for a run with another cause', async () => {
    const orchestrator = createOrchestrator();
    orchestrator.spawn(loopAgent({ model: scriptedModel(['Hello']) }), { prompt: 'Hi', run: { parentId: 'call' } });
    expect((await collect(orchestrator.events()))[0]).toMatchObject({ type: 'harness_start', parentId: 'call' });
  });
});
