import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/client/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import type { ThreadInfo, ThreadNews } from '../../src/protocols/index.ts';
import { asking } from '../support/page-agents.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let more = gate();
const paid = scriptedAgent('paid', async function* ({ event, until }) {
  yield event('usage', { inputTokens: 10, outputTokens: 5, cost: 0.25 });
  await until(more.opened);
  yield event('text', { id: 't', content: 'Done.' });
});
const failing = scriptedAgent('failing', () => {
  throw new Error('no luck');
});
const agents = [paid, asking, failing];

let log: MemoryLog;
let servers: TestServer[];
let client: Client;
let stop: AbortController;

const serve = async (options: Parameters<typeof startTestServer>[1] = {}) => {
  const server = await startTestServer(agents, { log, ...options });
  servers.push(server);
  return server;
};

beforeEach(async () => {
  more = gate();
  log = new MemoryLog();
  servers = [];
  stop = new AbortController();
  client = createClient({ baseUrl: (await serve()).url });
});
afterEach(async () => {
  stop.abort();
  more.open();
  for (const server of servers) await server.close();
});

/** Follows the list, as a page does. */
class Follower {
  readonly threads = new Map<string, ThreadInfo>();
  readonly frames: ThreadNews[] = [];
  #look = () => {};
  readonly ready: Promise<void>;

  constructor(from: Client) {
    const opened = gate();
    this.ready = opened.opened;
    void (async () => {
      for await (const news of from.watchThreads({ signal: stop.signal })) {
        this.frames.push(news);
        for (const thread of [...(news.active ?? []), ...(news.changed ?? [])]) this.threads.set(thread.id, thread);
        for (const id of news.deleted ?? []) this.threads.delete(id);
        opened.open();
        this.#look();
      }
    })();
  }

  until(isSo: () => boolean): Promise<void> {
    return new Promise(resolve => {
      this.#look = () => {
        if (isSo()) resolve();
      };
      this.#look();
    });
  }
}

describe('the list of threads', () => {
  it('states status, agent, cost and what waits', async () => {
    const [done, failed, waiting, idle] = await Promise.all([1, 2, 3, 4].map(() => client.createThread()));
    const list = new Follower(client);
    more.open();
    await client.sendMessage(done?.id ?? '', { content: 'Go', agent: 'paid' });
    await client.sendMessage(failed?.id ?? '', { content: 'Go', agent: 'failing' });
    await client.sendMessage(waiting?.id ?? '', { content: 'Go', agent: 'asking' });
    const statusOf = (thread: ThreadInfo | undefined) => list.threads.get(thread?.id ?? '')?.status;
    await list.until(
      () => statusOf(done) === 'done' && statusOf(failed) === 'failed' && statusOf(waiting) === 'waiting',
    );
    const shown = new Map((await client.listThreads()).map(thread => [thread.id, thread]));
    expect(shown.get(done?.id ?? '')).toMatchObject({ status: 'done', agentId: 'paid', cost: 0.25 });
    expect(shown.get(failed?.id ?? '')).toMatchObject({ status: 'failed', agentId: 'failing', outcome: 'error' });
    expect(shown.get(waiting?.id ?? '')).toMatchObject({ status: 'waiting', waiting: [expect.any(String)] });
    expect(shown.get(idle?.id ?? '')).toMatchObject({ status: 'idle' });
  });

  it('bounds titles', async () => {
    const { id } = await log.createThread({ title: 'x'.repeat(20_000) });
    const [listed] = await client.listThreads();
    expect(listed).toMatchObject({ id });
    expect(listed?.title?.length).toBeLessThan(210);
  });

  it('pins and archives', async () => {
    const { id } = await client.createThread({ title: 'One' });
    expect(await client.changeThread(id, { isPinned: true, isArchived: true })).toMatchObject({
      isPinned: true,
      isArchived: true,
      title: 'One',
    });
    const [listed] = await client.listThreads();
    expect(listed).toMatchObject({ isPinned: true, isArchived: true, metadata: {} });
    expect(await client.changeThread(id, { isPinned: false })).not.toHaveProperty('isPinned');
    await expect(client.changeThread(id, {})).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});

describe('the changes of the list', () => {
  it('begin with what waits or runs', async () => {
    const { id } = await client.createThread();
    await client.createThread({ title: 'idle' });
    await client.sendMessage(id, { content: 'Go', agent: 'paid' });
    const list = new Follower(client);
    await list.ready;
    expect(list.frames[0]?.active?.map(thread => [thread.id, thread.status])).toEqual([[id, 'running']]);
  });

  it('report what another server of the store creates, renames, runs and deletes', async () => {
    const other = createClient({ baseUrl: (await serve()).url });
    const list = new Follower(client);
    await list.ready;
    const { id } = await other.createThread({ title: 'Before' });
    await list.until(() => list.threads.get(id)?.title === 'Before');
    await other.changeThread(id, { title: 'After' });
    await list.until(() => list.threads.get(id)?.title === 'After');
    await other.sendMessage(id, { content: 'Go', agent: 'asking' });
    await list.until(() => list.threads.get(id)?.status === 'waiting');
    const [relay] = await other.listRelays({ threadId: id });
    expect(list.threads.get(id)?.waiting).toEqual([relay?.id]);
    await other.answerRelay(id, relay?.id ?? '', { outcome: 'approve' });
    await list.until(() => list.threads.get(id)?.status === 'done');
    await other.deleteThread(id);
    await list.until(() => !list.threads.has(id));
  });

  it('do not report the growth of a running thread', async () => {
    const list = new Follower(client);
    await list.ready;
    const { id } = await client.createThread();
    await client.sendMessage(id, { content: 'Go', agent: 'paid' });
    await list.until(() => list.threads.get(id)?.cost === 0.25);
    const { frames } = list;
    const seen = frames.length;
    const [run] = (await client.getThread(id)).runs;
    for (let n = 0; n < 20; n++)
      await log.append(id, [{ type: 'text', runId: run?.runId ?? '', id: 'grown', content: `${n}` }]);
    const { id: next } = await client.createThread({ title: 'Next' });
    await list.until(() => list.threads.has(next));
    expect(
      frames
        .slice(seen)
        .flatMap(frame => frame.changed ?? [])
        .map(thread => thread.id),
    ).toEqual([next]);
  });

  it('are those of the resource of the token', async () => {
    const tokens = [{ token: 'token-of-one', resourceId: 'one' }, { token: 'token-of-all' }];
    const baseUrl = (await serve({ tokens })).url;
    const all = createClient({ baseUrl, token: 'token-of-all' });
    const list = new Follower(createClient({ baseUrl, token: 'token-of-one' }));
    await list.ready;
    const foreign = await all.createThread({ resourceId: 'two' });
    const own = await all.createThread({ resourceId: 'one' });
    await list.until(() => list.threads.has(own.id));
    await all.deleteThread(foreign.id);
    await all.deleteThread(own.id);
    await list.until(() => !list.threads.has(own.id));
    expect(JSON.stringify(list.frames)).not.toContain(foreign.id);
  });
});

describe('what was decided', () => {
  it('is listed with who decided and when', async () => {
    const baseUrl = (await serve({ tokens: [{ token: 'token-of-ann', name: 'ann' }] })).url;
    const ann = createClient({ baseUrl, token: 'token-of-ann' });
    const { id } = await ann.createThread({ title: 'Listing' });
    const list = new Follower(ann);
    await ann.sendMessage(id, { content: 'Go', agent: 'asking' });
    await list.until(() => list.threads.get(id)?.status === 'waiting');
    const [relay] = await ann.listRelays();
    expect(relay).toMatchObject({ title: 'Listing', threadId: id, agentId: 'asking' });
    await ann.answerRelay(id, relay?.id ?? '', { outcome: 'reject', feedback: 'not now' });
    const { decisions, next } = await ann.listDecisions();
    expect(next).toBeUndefined();
    expect(decisions).toMatchObject([
      {
        id: relay?.id,
        threadId: id,
        title: 'Listing',
        status: 'answered',
        agentId: 'asking',
        relay: { tool: 'shell', params: { command: 'ls -la /srv' } },
        answer: { outcome: 'reject', feedback: 'not now', by: 'ann', ts: expect.any(String) },
      },
    ]);
  });

  it('is paged by thread', async () => {
    for (const title of ['a', 'b', 'c']) {
      const { id } = await log.createThread({ title });
      await log.append(id, [
        { type: 'relay', runId: id, id: `${id}-q`, relayKind: 'question', question: title },
        { type: 'relay_resolved', runId: id, relayId: `${id}-q`, outcome: 'answer', answer: 'yes' },
      ]);
    }
    const titles = new Set<string | undefined>();
    for (let cursor: string | undefined; ; ) {
      const { decisions, next } = await client.listDecisions({ limit: 1, ...(cursor !== undefined && { cursor }) });
      for (const { title } of decisions) titles.add(title);
      cursor = next;
      if (cursor === undefined) break;
    }
    expect(titles).toEqual(new Set(['a', 'b', 'c']));
  });
});
