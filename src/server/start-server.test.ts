import { describe, expect, it } from 'vitest';
import { ask } from '../../test/server/http.ts';
import { startTestServer } from '../../test/support/test-server.ts';

describe('starting a server', () => {
  it('reports that the port is taken, and by which address', async () => {
    const first = await startTestServer([]);
    const port = Number(new URL(first.url).port);
    await expect(startTestServer([], { port })).rejects.toMatchObject({
      code: 'address_unavailable',
      message: `Port ${port} on 127.0.0.1 is taken by another program. Stop it, or choose another port with --port (0 selects a free one).`,
    });
    await first.close();
    const second = await startTestServer([], { port });
    await second.close();
  });

  it.each(['0.0.0.0', '::', '192.168.1.4', 'example.com'])('refuses to listen on %s', async host => {
    await expect(startTestServer([], { host })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(`Cannot listen on "${host}"`),
    });
  });

  it('refuses to answer a name of other machines without a token', async () => {
    await expect(startTestServer([], { hosts: ['localhost', 'agents.example'] })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Cannot answer "agents.example" without a token'),
    });
  });

  it('answers the names it is given on a loopback address, as behind a reverse proxy', async () => {
    const server = await startTestServer([], { hosts: ['agents.example'], tokens: [{ token: 'a-long-token' }] });
    const headers = { authorization: 'Bearer a-long-token' };
    const post = (host: string, origin: string) =>
      ask(server.url, '/api/threads', { method: 'POST', headers: { ...headers, host, origin }, body: {} });
    expect((await post('agents.example', 'https://agents.example')).status).toBe(201);
    expect((await post('agents.example:8080', 'http://agents.example:8080')).status).toBe(201);
    expect((await post('other.example', 'https://other.example')).status).toBe(403);
    await server.close();
  });

  it('can be closed twice, with streams open', async () => {
    const server = await startTestServer([]);
    const { id } = await server.log.createThread();
    const response = await fetch(`${server.url}/api/threads/${id}/events`);
    await server.close();
    await server.close();
    await response.text().catch(() => {});
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow('fetch failed');
  });
});
