import { describe, expect, it } from 'vitest';
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
