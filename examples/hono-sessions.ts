// A Hono app with sessions of its own serves agents under /agents: each tenant sees its threads, and useChat talks to it.
import { Hono } from 'hono';
import { loopAgent } from 'singletree/agents';
import { Supervisor } from 'singletree/control';
import { MemoryLog } from 'singletree/log';
import { createApp } from 'singletree/server';
import { scriptedModel } from 'singletree/testing';

const sessions = new Map([
  ['session-of-ann', { name: 'ann', resourceId: 'acme', rights: ['read', 'send', 'approve'] as const }],
  ['session-of-bob', { name: 'bob', resourceId: 'bikes', rights: ['read'] as const }],
]);
const agents = [loopAgent({ id: 'greeter', model: scriptedModel(() => 'Hello!') })];
const log = new MemoryLog();
const control = new Supervisor({ log, agents });
const app = createApp({
  log,
  control,
  agents: {
    list: () => agents.map(({ id }) => ({ id, name: id })),
    get: id => agents.find(agent => agent.id === id),
  },
  authenticate: request => sessions.get(/session=([\w-]+)/.exec(request.headers.get('cookie') ?? '')?.[1] ?? ''),
});
const product = new Hono();
product.get('/', context => context.text('My product'));
product.mount('/agents', app.fetch);

/** What a browser sends with its cookie; `serve({ fetch: product.fetch })` of `@hono/node-server` listens. */
async function request(path: string, cookie: string, body?: object): Promise<Response> {
  const headers = { cookie, host: 'localhost', 'content-type': 'application/json', 'x-ai-sdk-version': '6' };
  const init = body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
  return product.request(`http://localhost${path}`, init);
}

const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] }];
const [ann, bob] = ['session=session-of-ann', 'session=session-of-bob'];
console.log(await (await request('/', '')).text());
console.log('nobody', (await request('/agents/api/threads', '')).status);
const chunks = await (await request('/agents/api/chat', ann, { id: 'chat-1', messages })).text();
console.log('ann', [...chunks.matchAll(/"delta":"(.*?)"/g)].map(([, delta]) => delta).join(''));
console.log('bob', (await request('/agents/api/chat', bob, { id: 'chat-2', messages })).status);
for (const cookie of [ann, bob]) {
  const { threads } = (await (await request('/agents/api/threads', cookie)).json()) as { threads: object[] };
  console.log(`${cookie}: ${threads.length} threads`);
}
await control.close();
