import { getEventListeners } from 'node:events';
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Hono } from 'hono';
import { afterEach, describe, expect, it } from 'vitest';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { mcpHandler } from '../../src/server/mcp/mcp-http.ts';
import type { AppEnv } from '../../src/server/route.ts';
import { createMcpClient, type McpScene, startMcpScene, useTool } from '../support/mcp-clients.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';

let scene: McpScene | undefined;
const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await scene?.close();
  scene = undefined;
});

/** Serves `/mcp` to so many callers, each known by its name; counts their handlers and their subscriptions to changes. */
async function serveCallers(limit: number, agents: readonly Agent[] = []) {
  const { site, log, control } = (scene = await startMcpScene(agents));
  let subscriptions = 0;
  const join = site.threadList.join.bind(site.threadList);
  site.threadList.join = async listener => {
    const stop = await join(listener);
    subscriptions++;
    return () => {
      subscriptions--;
      stop();
    };
  };
  const app = new Hono<AppEnv>();
  app.use(async (context, next) => {
    const by = context.req.header('x-caller') ?? '';
    context.set('scope', { resourceId: by, by, rights: ['read'] });
    await next();
  });
  app.all('/mcp', mcpHandler(site, limit));
  const connect = async (name: string) => {
    const client = createMcpClient('modern');
    const transport = new StreamableHTTPClientTransport(new URL('http://localhost/mcp'), {
      requestInit: { headers: { 'x-caller': name } },
      fetch: async (url, init) => app.fetch(new Request(url, init)),
    });
    await client.connect(transport);
    clients.push(client);
    return client;
  };
  const idle = getEventListeners(site.signal, 'abort').length;
  const countHandlers = () => getEventListeners(site.signal, 'abort').length - idle;
  return { log, control, connect, counts: () => ({ handlers: countHandlers(), subscriptions }) };
}

describe('the callers of /mcp', () => {
  it('have a limited number of handlers: the one that is dropped releases all it listens to, and its caller can come back', async () => {
    const { log, connect, counts } = await serveCallers(2);
    const { id } = await log.createThread({ resourceId: 'ann', title: 'Of Ann' });
    await log.createThread({ resourceId: 'bob', title: 'Of Bob' });
    const follow = { resourceSubscriptions: [`singletree://threads/${id}`] };
    const ann = await connect('ann');
    await ann.listen(follow);
    await expect.poll(counts).toEqual({ handlers: 1, subscriptions: 1 });
    await connect('bob');
    expect(counts()).toEqual({ handlers: 2, subscriptions: 1 });
    await connect('cara');
    await expect.poll(counts).toEqual({ handlers: 2, subscriptions: 0 });
    expect(await useTool(ann, 'thread_list')).toMatchObject({ threads: [{ threadId: id, title: 'Of Ann' }] });
    await ann.listen(follow);
    await expect.poll(counts).toEqual({ handlers: 2, subscriptions: 1 });
  });

  it('keep their handlers while they call', async () => {
    const { connect, counts } = await serveCallers(2);
    const ann = await connect('ann');
    await connect('bob');
    await ann.listen({ resourcesListChanged: true });
    await expect.poll(counts).toEqual({ handlers: 2, subscriptions: 1 });
    await connect('cara');
    await expect.poll(counts).toEqual({ handlers: 2, subscriptions: 1 });
  });

  it('get the answer to a call that is under way when their handler is dropped', async () => {
    const hold = gate();
    const patient = scriptedAgent('patient', async function* ({ event, until }) {
      yield event('text', { id: 't', content: 'One, ' });
      await until(hold.opened);
      yield event('text', { id: 't', content: 'two.' });
    });
    const { log, control, connect, counts } = await serveCallers(2, [patient]);
    const { id: threadId } = await log.createThread({ resourceId: 'ann' });
    const { runId } = await control.start(threadId, { agent: patient, content: 'go' });
    const ann = await connect('ann');
    const outcome = useTool(ann, 'run_wait', { threadId, runId, wait: 50 }).catch(String);
    await connect('bob');
    await connect('cara');
    await expect.poll(counts).toEqual({ handlers: 2, subscriptions: 0 });
    expect(await useTool(ann, 'run_status', { threadId, runId })).toMatchObject({ status: 'running' });
    hold.open();
    expect(await outcome).toMatchObject({ status: 'finished', text: 'One, two.' });
  });
});
