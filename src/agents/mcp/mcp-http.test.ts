import { afterEach, describe, expect, it, vi } from 'vitest';
import { callTool, type HttpServer, startHttpServer } from '../../../test/support/mcp.ts';
import { connectMcp } from './connect-mcp.ts';
import type { McpSource } from './mcp-source.ts';

const servers: HttpServer[] = [];
const sources: McpSource[] = [];
afterEach(async () => {
  await Promise.all(sources.splice(0).map(source => source.close()));
  for (const { process } of servers.splice(0)) process.kill('SIGKILL');
});
const start = async (mode?: string, env?: Readonly<Record<string, string>>): Promise<HttpServer> => {
  const server = await startHttpServer(mode, env);
  servers.push(server);
  return server;
};
const connect = async ({ address }: HttpServer, headers: Record<string, string> = {}): Promise<McpSource> => {
  const source = await connectMcp({ ...address, headers }, { restartDelayMs: 1 });
  sources.push(source);
  return source;
};
const at = ({ address }: HttpServer, path: string) => new URL(path, address.url);
const sessionsAt = async (server: HttpServer) => (await fetch(at(server, '/sessions'))).json();

describe('a server over HTTP', () => {
  it.each(['http', 'modern-http'])(
    'has its tools called, over the sessions of old and without any (%s)',
    async mode => {
      const source = await connect(await start(mode));
      expect(await callTool(source, 'add', { a: 1, b: 2 })).toEqual({ context: '3', result: { sum: 3 } });
    },
  );

  it('reports progress, and is notified of a cancelled call', async () => {
    const source = await connect(await start());
    const stop = new AbortController();
    const reports: unknown[] = [];
    const progress = (report: unknown) => {
      reports.push(report);
      stop.abort(new Error('enough'));
    };
    await expect(callTool(source, 'wait', {}, { signal: stop.signal, progress })).rejects.toThrow('enough');
    expect(reports).toEqual([{ progress: 1, total: 3, message: 'on it' }]);
    await vi.waitFor(async () => expect(await callTool(source, 'cancelled')).toEqual({ context: '1' }));
  });

  it('reports new tools', async () => {
    const source = await connect(await start());
    await callTool(source, 'grow');
    await vi.waitFor(() => expect(source.tools().map(tool => tool.name)).toContain('mcp__test__grown'));
  });

  it('gets a new session when it no longer knows the old one, and the call is repeated in it', async () => {
    const server = await start();
    const source = await connect(server);
    await fetch(at(server, '/forget'), { method: 'POST' });
    expect(await callTool(source, 'echo', { text: 'hi' })).toEqual({ context: 'hi' });
    expect(await sessionsAt(server)).toBe(1);
  });

  it('is notified when the session ends', async () => {
    const server = await start();
    const source = await connect(server);
    await callTool(source, 'echo', { text: 'hi' });
    expect(await sessionsAt(server)).toBe(1);
    await source.close();
    expect(await sessionsAt(server)).toBe(0);
  });

  it('that dies during a call fails it, and is reconnected when it is back', async () => {
    const server = await start();
    const source = await connect(server);
    await expect(callTool(source, 'crash', { code: 1 })).rejects.toThrow(
      'The MCP server "test" was lost while it worked on "crash": its answer broke off. What the call did is unknown.',
    );
    expect(source.status.state).toBe('down');
    await expect(callTool(source, 'echo', { text: 'hi' })).rejects.toThrow(
      `could not be connected to: it could not be reached at ${at(server, '/').origin} (ECONNREFUSED).`,
    );
    await start('http', { PORT: at(server, '/').port });
    expect(await callTool(source, 'echo', { text: 'back' })).toEqual({ context: 'back' });
  });

  it('that requires other headers is reported without the configured ones', async () => {
    const server = await start('http', { EXPECTED_AUTHORIZATION: 'Bearer right-token' });
    await expect(connect(server, { authorization: 'Bearer wrong-token' })).rejects.toThrow(
      'it answered with HTTP 401: "[hidden]" is not known here; check the headers it is given.',
    );
    const source = await connect(server, { authorization: 'Bearer right-token' });
    expect(await callTool(source, 'echo', { text: 'hi' })).toEqual({ context: 'hi' });
  });
});
