// A program that serves HTTP as OpenCode does: health, events, and a few requests that show what it received.
import { createServer } from 'node:http';

const log = [];
let stream;
let endTurn;
const authorization = `Basic ${Buffer.from(`me:${process.env.FAKE_PASSWORD}`).toString('base64')}`;
let healthChecks = 0;

const server = createServer((request, response) => void respond(request, response));

async function respond(request, response) {
  const { pathname } = new URL(request.url, 'http://localhost');
  if (request.headers.authorization !== authorization) return response.writeHead(401).end();
  if (pathname === '/global/health') return response.writeHead(++healthChecks < 3 ? 503 : 200).end('{}');
  if (pathname === '/event') {
    stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
    stream.write('data: {"type":"server.connected"}\n\ndata: {"type":"server.heartbeat"}\n\n');
    return stream;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  log.push(`${request.method} ${pathname} ${body}`);
  if (pathname === '/turn') await new Promise(resolve => (endTurn = resolve));
  if (pathname === '/end-turn') endTurn();
  if (pathname === '/slow') await new Promise(resolve => setTimeout(resolve, 50));
  if (pathname === '/say') stream.write(`data: ${body}\n\n`);
  if (pathname === '/end-events') stream.end();
  if (pathname === '/exit') process.exit(3);
  return response.writeHead(200).end(JSON.stringify(log));
}

server.listen(0, '127.0.0.1', () => {
  console.log('starting');
  console.error('a warning');
  console.log(`fake server listening on http://127.0.0.1:${server.address().port}`);
});
