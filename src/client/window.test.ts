import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { scriptedAgent } from '../../test/support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../../test/support/test-server.ts';
import type { AgentEvent } from '../events/vocabulary.ts';
import { foldAll } from '../projections/fold.ts';
import { readingFrom, threadReading } from '../projections/reading/thread-reading.ts';
import { createClient } from './create-client.ts';
import { createThreadStore } from './thread-store.ts';

const silent = scriptedAgent('silent', async function* () {});
const stepsOf = (runId: string, first: number, count: number): AgentEvent[] =>
  Array.from({ length: count }, (_, index): AgentEvent[] => [
    { type: 'step_start', runId, step: first + index },
    { type: 'text', runId, id: `${runId}/${first + index}`, content: `step ${first + index}` },
  ]).flat();

const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 10_000 });

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([silent], {
    tokens: [
      { name: 'all', token: 'the-token-of-everybody' },
      { name: 'one', token: 'the-token-of-resource-one', resourceId: 'one' },
    ],
  });
});
afterAll(() => server.close());

const clientOf = (token = 'the-token-of-everybody') => createClient({ baseUrl: server.url, token });

/** A thread that is one run of many steps, still under way. */
async function longThread(steps: number, resourceId = 'default'): Promise<string> {
  const { id } = await server.log.createThread({ resourceId });
  await server.log.append(id, [
    { type: 'user', runId: `${id}-asked`, content: 'Where is the lighthouse?' },
    { type: 'harness_start', runId: id, agentId: 'silent', model: 'large', parentId: `${id}-asked:user` },
  ]);
  for (let at = 0; at < steps; at += 500) await server.log.append(id, stepsOf(id, at, Math.min(500, steps - at)));
  return id;
}

describe('a window', () => {
  it('shows the messages of its events as the whole thread does', async () => {
    const id = await longThread(1_000);
    const whole = foldAll(threadReading, await server.log.read(id, { limit: 10_000 }));
    const { snapshot, events, hasEarlier, hasLater } = await clientOf().readWindow(id, { limit: 100 });
    expect({ hasEarlier, hasLater }).toEqual({ hasEarlier: true, hasLater: false });
    const reading = threadReading.view(
      events.reduce(threadReading.step, snapshot === undefined ? threadReading.initial : readingFrom(snapshot)),
    );
    expect(reading.nodes.at(-1)?.parts).toEqual(whole.nodes.at(-1)?.parts.slice(-51));
    const { agentId, model } = reading.nodes.at(-1) ?? {};
    expect({ agentId, model, running: reading.running }).toEqual({
      agentId: 'silent',
      model: 'large',
      running: whole.running,
    });
    await expect(clientOf().readWindow(id, { before: 1, after: 1 })).rejects.toMatchObject({
      code: 'invalid_argument',
    });
    await expect(clientOf().readWindow('none')).rejects.toMatchObject({ code: 'thread_not_found' });
  });

  it('is what a store opens, which loads earlier events and follows the thread', async () => {
    const id = await longThread(400);
    const store = createThreadStore(clientOf(), id, { window: 100 });
    const last = () => store.getSnapshot().nodes.at(-1);
    await waitFor(() => expect(last()?.parts).toHaveLength(51));
    expect(store.getSnapshot()).toMatchObject({ hasEarlier: true, seq: 802 });
    await store.loadEarlier();
    expect(last()?.parts.length).toBeGreaterThan(100);
    await server.log.append(id, stepsOf(id, 400, 1));
    await waitFor(() => expect(last()?.text).toContain('step 400'));
    while (store.getSnapshot().hasEarlier) await store.loadEarlier();
    expect(store.getSnapshot().nodes[0]?.text).toBe('Where is the lighthouse?');
    expect(store.getSnapshot().hidden.size).toBe(0);
    await store.goTo(400);
    expect(store.eventAt(400)).toMatchObject({ type: 'text', content: 'step 198' });
    store.goToEnd();
    expect(last()?.text).toContain('step 400');
    store.close();
  });

  it('lets a store that follows a long run keep only the newest events', async () => {
    const id = await longThread(1);
    const store = createThreadStore(clientOf(), id, { window: 10 });
    await waitFor(() => expect(store.getSnapshot().isConnected).toBe(true));
    for (let at = 1; at < 400; at += 100) await server.log.append(id, stepsOf(id, at, 100));
    await waitFor(() => expect(store.getSnapshot().seq).toBe(804));
    const { nodes, hasEarlier } = store.getSnapshot();
    expect(hasEarlier).toBe(true);
    expect(nodes.at(-1)?.parts.length).toBeLessThan(60);
    expect(nodes.at(-1)?.text).toContain('step 400');
    store.close();
  });

  it('begins earlier when somebody edits a message from before it', async () => {
    const { id } = await server.log.createThread();
    const turn = (number: number): AgentEvent[] => [
      { type: 'user', runId: `u${number}`, content: `question ${number}` },
      { type: 'harness_start', runId: `r${number}`, agentId: 'silent', parentId: `u${number}:user` },
      { type: 'harness_end', runId: `r${number}`, agentId: 'silent', reason: 'complete' },
    ];
    for (let number = 1; number <= 20; number++) await server.log.append(id, turn(number));
    const store = createThreadStore(clientOf(), id, { window: 20 });
    const texts = () => {
      const { nodes, hidden } = store.getSnapshot();
      return nodes.filter(node => !hidden.has(node.id)).flatMap(({ role, text }) => (role === 'user' ? [text] : []));
    };
    await waitFor(() => expect(texts().at(-1)).toBe('question 20'));
    await server.log.append(id, [{ type: 'user', runId: 'edit', content: 'another', parentMessageId: 'r10' }]);
    await waitFor(() => expect(store.getSnapshot().isOutdated).toBe(false));
    await waitFor(() => expect(texts().slice(-2)).toEqual(['question 10', 'another']));
    expect(store.getSnapshot().nodes.at(-1)?.siblings).toMatchObject({ count: 2, ids: ['u11:user', 'edit:user'] });
    store.close();
  });
});

describe('search and usage over HTTP', () => {
  it('find and add up what a token may see', async () => {
    const mine = await longThread(1, 'one');
    const other = await longThread(1, 'two');
    for (const id of [mine, other])
      await server.log.append(id, [{ type: 'usage', runId: id, inputTokens: 5, outputTokens: 1 }]);
    const all = await clientOf().search({ text: 'lighthouse', limit: 2 });
    expect(all.hits.map(({ threadId }) => threadId)).toEqual([other, mine]);
    expect(all).toMatchObject({ isComplete: true, next: expect.any(String) });
    const own = clientOf('the-token-of-resource-one');
    expect((await own.search({ text: 'lighthouse' })).hits).toMatchObject([
      { threadId: mine, messageId: `${mine}-asked:user`, seq: 1, snippet: 'Where is the lighthouse?' },
    ]);
    expect(await own.sumUsage({ by: ['agent', 'model'] })).toEqual([
      { agentId: 'silent', modelId: 'large', inputTokens: 5, outputTokens: 1, modelCalls: 1 },
    ]);
    expect(await clientOf().sumUsage()).toMatchObject([{ inputTokens: 10, modelCalls: 2 }]);
    expect(await clientOf().sumUsage({ by: ['resource'] })).toMatchObject([
      { resourceId: 'one', inputTokens: 5 },
      { resourceId: 'two', inputTokens: 5 },
    ]);
    await expect(own.search({ text: 'a', resourceId: 'two' })).rejects.toMatchObject({ code: 'not_found' });
    const call = { runId: mine, id: 'look', name: 'look' };
    await server.log.append(mine, [
      { type: 'tool_call', ...call, input: {} },
      { type: 'tool_result', ...call, output: { error: 'nothing there' } },
    ]);
    expect(await own.sumUsage({ by: ['thread'] })).toMatchObject([{ threadId: mine, modelCalls: 1 }]);
    expect(await clientOf().sumUsage({ by: ['thread'] })).toHaveLength(2);
    expect(await clientOf().sumUsage({ by: ['thread', 'tool'] })).toMatchObject([
      { threadId: mine, tool: 'look', toolCalls: 1, failedCalls: 1 },
    ]);
    await expect(own.sumUsage({ from: 'today' })).rejects.toMatchObject({ code: 'invalid_argument' });
    const { events, next, until } = await own.events({ types: ['usage', 'user'] });
    expect([events.map(({ threadId, resourceId, event }) => [threadId, resourceId, event.type]), next]).toEqual([
      [
        [mine, 'one', 'user'],
        [mine, 'one', 'usage'],
      ],
      undefined,
    ]);
    expect(Date.parse(until)).toBeLessThan(Date.now());
    const first = await clientOf().events({ types: ['usage'], limit: 1, since: '2020-01-01T00:00:00Z' });
    const second = await clientOf().events({ types: ['usage'], cursor: first.next as string });
    expect([...first.events, ...second.events].map(({ threadId }) => threadId)).toEqual(
      expect.arrayContaining([mine, other]),
    );
    await expect(own.events({ resourceId: 'two' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(own.events({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_argument' });
    await expect(own.readWindow(other)).rejects.toMatchObject({ code: 'thread_not_found' });
  });
});
