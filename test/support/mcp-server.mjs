// An MCP server for tests: over stdio, or with `http` as the first argument over streamable HTTP, which prints its port.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { serve } from '@hono/node-server';
import { createMcpHandler, McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const [mode = 'stdio'] = process.argv.slice(2);
let cancelled = 0;

const text = value => ({ content: [{ type: 'text', text: value }] });

function createServer() {
  const server = new McpServer({ name: 'test', version: '1.0.0' }, { capabilities: { tools: { listChanged: true } } });
  const tool = (name, shape, execute, more = {}) =>
    server.registerTool(name, { description: `does ${name}`, inputSchema: z.object(shape), ...more }, execute);

  tool('echo', { text: z.string() }, ({ text: value }) => text(value));
  tool(
    'add',
    { a: z.number(), b: z.number() },
    ({ a, b }) => ({ ...text(`${a + b}`), structuredContent: { sum: a + b } }),
    {
      outputSchema: z.object({ sum: z.number() }),
    },
  );
  tool('fail', { words: z.string() }, ({ words }) => ({ ...text(words), isError: true }));
  tool('crash', { code: z.number() }, ({ code }) => {
    process.stderr.write(`cannot go on with ${process.env.API_TOKEN}\n`, () => process.exit(code));
    return new Promise(() => {});
  });
  tool('wait', {}, async (_, context) => {
    const { progressToken } = context.mcpReq._meta ?? {};
    const report = progress => ({
      method: 'notifications/progress',
      params: { progressToken, progress, total: 3, message: 'on it' },
    });
    if (progressToken !== undefined) await context.mcpReq.notify(report(1));
    await new Promise(resolve => context.mcpReq.signal.addEventListener('abort', resolve));
    cancelled++;
    return text('stopped');
  });
  tool('cancelled', {}, () => text(String(cancelled)));
  tool('big', { size: z.number() }, ({ size }) => ({
    ...text('x'.repeat(size)),
    structuredContent: { x: 'x'.repeat(size) },
  }));
  tool('media', {}, () => ({
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'resource', resource: { uri: 'file:///a.txt', text: 'what a.txt says' } },
      { type: 'resource', resource: { uri: 'file:///a.zip', mimeType: 'application/zip', blob: 'AAAAAAAA' } },
      { type: 'resource_link', uri: 'file:///b.txt', name: 'b', description: 'the second file' },
    ],
  }));
  tool('environment', {}, () => text(JSON.stringify(process.env)));
  tool('child', {}, () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
    return text(`${process.pid} ${child.pid}`);
  });
  tool('deafen', {}, () => {
    closeSync(0);
    return text('I hear no more.');
  });
  tool('grow', {}, () => {
    tool('grown', {}, () => text('I am new.'));
    return text('one more');
  });
  if (mode === 'flood') {
    let listed = 0;
    process.stdin.on('data', chunk => (listed += chunk.toString().split('"tools/list"').length - 1));
    tool('flood', {}, () => {
      for (let sent = 0; sent < 2_000; sent++) server.sendToolListChanged();
      return text('flooded');
    });
    tool('listed', {}, () => text(String(listed)));
  }
  tool('dotted.name', {}, () => text('with a dot'));
  tool('dotted_name', {}, () => text('with a line'));
  return server;
}

/** Sessions as servers of 2025 have them; `POST /forget` forgets them all. */
function sessions() {
  const known = new Map();
  return async request => {
    const { pathname } = new URL(request.url);
    if (pathname === '/forget') return (known.clear(), new Response(null, { status: 204 }));
    if (pathname === '/sessions') return Response.json(known.size);
    const id = request.headers.get('mcp-session-id');
    if (id !== null) return known.get(id)?.handleRequest(request) ?? new Response('Session not found', { status: 404 });
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: session => void known.set(session, transport),
      onsessionclosed: session => void known.delete(session),
    });
    await createServer().connect(transport);
    return transport.handleRequest(request);
  };
}

function guarded(handle) {
  const expected = process.env.EXPECTED_AUTHORIZATION;
  return request => {
    const given = request.headers.get('authorization');
    if (expected === undefined || given === expected) return handle(request);
    return new Response(`"${given}" is not known here`, { status: 401 });
  };
}

const announce = ({ port }) => process.stdout.write(`${port}\n`);
const listen = fetch => serve({ fetch, port: Number(process.env.PORT ?? 0), hostname: '127.0.0.1' }, announce);

if (mode === 'http') listen(guarded(sessions()));
else if (mode === 'modern-http') listen(createMcpHandler(createServer, { legacy: 'reject' }).fetch);
else if (mode === 'broken') {
  console.error(`no database for ${process.env.API_TOKEN}`);
  process.exitCode = 7;
} else serveStdio(createServer, { legacy: mode === 'modern' ? 'reject' : 'serve' });
