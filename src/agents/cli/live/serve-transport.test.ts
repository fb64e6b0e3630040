import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { lineText } from '../../process/line-reader.ts';
import type { ChannelTransport } from './channel-transport.ts';
import { serveTransport } from './serve-transport.ts';

const program = fileURLToPath(new URL('../../../../test/cli-agents/support/fake-server.mjs', import.meta.url));
const opened: ChannelTransport[] = [];

function open(): ChannelTransport {
  const transport = serveTransport({
    command: process.execPath,
    args: [program],
    cwd: process.cwd(),
    env: {},
    stopStepMs: 100,
    serve: { user: 'me', passwordVariable: 'FAKE_PASSWORD' },
  });
  opened.push(transport);
  return transport;
}

function send(transport: ChannelTransport, id: number, path: string, body?: unknown): void {
  transport.send(JSON.stringify({ id, method: body === undefined ? 'GET' : 'POST', path, body }));
}

/** The next message of the server; lines of stderr are left out. */
async function message(transport: ChannelTransport): Promise<unknown> {
  for (let line = await transport.next(); line !== undefined; line = await transport.next())
    if (line.stream === 'stdout') return JSON.parse(lineText(line.bytes));
  return undefined;
}

describe('the transport over a local server', () => {
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(transport => transport.dispose()));
  });

  it('waits for the server, authenticates, and sends requests in order with their responses', async () => {
    const transport = open();
    send(transport, 1, '/slow', { first: true });
    send(transport, 2, '/quick');
    expect(await message(transport)).toEqual({ type: 'server.connected' });
    expect(await message(transport)).toMatchObject({ response: { id: 1, status: 200 } });
    expect(await message(transport)).toEqual({
      response: { id: 2, status: 200, body: ['POST /slow {"first":true}', 'GET /quick '] },
    });
  });

  it('sends other requests while one lasts a turn', async () => {
    const transport = open();
    transport.send(JSON.stringify({ id: 1, method: 'POST', path: '/turn', body: {}, lastsTurn: true }));
    send(transport, 2, '/end-turn', {});
    await message(transport);
    const answered = [await message(transport), await message(transport)];
    expect(answered).toEqual(expect.arrayContaining([1, 2].map(id => ({ response: expect.objectContaining({ id }) }))));
  });

  it('delivers events and lines of stderr, but no heartbeats and no log of the server', async () => {
    const transport = open();
    send(transport, 1, '/say', { type: 'news' });
    const lines = new Set<string>();
    while (lines.size < 4) {
      const line = await transport.next();
      lines.add(line === undefined ? '' : `${line.stream} ${lineText(line.bytes).slice(0, 28)}`);
    }
    expect(lines).toEqual(
      new Set([
        'stderr a warning',
        'stdout {"response":{"id":1,"status"',
        'stdout {"type":"news"}',
        'stdout {"type":"server.connected"}',
      ]),
    );
  });

  it('ends the program when its event stream ends', async () => {
    const transport = open();
    send(transport, 1, '/end-events');
    while ((await transport.next()) !== undefined);
    expect(transport.isRunning).toBe(false);
    await transport.exit;
  });

  it('reports the exit of the program', async () => {
    const transport = open();
    send(transport, 1, '/exit');
    while ((await transport.next()) !== undefined);
    expect(await transport.exit).toMatchObject({ exitCode: 3 });
  });

  it('ends the program when it is disposed', async () => {
    const transport = open();
    await message(transport);
    await transport.dispose();
    expect(transport.isRunning).toBe(false);
    while ((await transport.next()) !== undefined);
  });
});
