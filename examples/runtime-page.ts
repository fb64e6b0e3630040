// A page reads what a runtime does as server-sent events, and answers what it asks: no framework, one small server.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineTool, loopAgent } from 'singletree/agents';
import { createRuntime } from 'singletree/runtime';
import { scriptedModel } from 'singletree/testing';
import * as z from 'zod';

const book = defineTool({
  name: 'book',
  description: 'Books a table.',
  input: z.object({ people: z.number() }),
  execute: ({ people }) => `A table for ${people} is booked.`,
});
const model = scriptedModel([[{ toolCall: { name: 'book', input: { people: 4 } } }], 'See you at eight.']);
const runtime = createRuntime({
  agent: loopAgent({ model, tools: [book], permissions: 'allow' }),
  resourceId: 'bistro',
  approvals: { tools: { book: 'ask' } },
});
const page = `<!doctype html><title>Bistro</title><pre id="said"></pre><script type="module">
new EventSource('/ask?q=A+table+for+four').onmessage = async ({ data }) => {
  const event = JSON.parse(data);
  if (event.type === 'approval-required' && confirm('May I book?')) await fetch('/approve?id=' + event.data.id);
  if (event.type === 'text') said.textContent += event.text;
};
</script>`;

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  if (pathname === '/ask') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for await (const event of runtime.query(searchParams.get('q') ?? '', { threadId: 'table-7' }))
      response.write(`data: ${JSON.stringify(event)}\n\n`);
  } else if (pathname === '/approve') await runtime.respondToApproval(searchParams.get('id') ?? '', 'approve');
  else response.writeHead(200, { 'content-type': 'text/html' }).write(page);
  response.end();
}
const server = createServer((request, response) => void handle(request, response)).listen(0, '127.0.0.1');
await new Promise(resolve => server.once('listening', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
console.log((await (await fetch(url)).text()).slice(0, 38));

// What the script of the page does.
const reader = (await fetch(`${url}/ask?q=A+table+for+four`)).body?.getReader();
const decoder = new TextDecoder();
for (let next = await reader?.read(); next?.done === false; next = await reader?.read())
  for (const [, data = ''] of decoder.decode(next.value).matchAll(/^data: (.*)$/gm)) {
    const event = JSON.parse(data) as { type: string; text?: string; data?: { id: string } };
    if (event.type === 'approval-required') console.log('May I book? You approve it.');
    if (event.type === 'approval-required') await fetch(`${url}/approve?id=${event.data?.id}`);
    if (event.type === 'text') console.log(event.text);
  }
server.close();
await runtime.close();
