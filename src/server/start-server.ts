import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import { SingletreeError } from '../events/index.ts';
import { type AppOptions, createApp } from './app.ts';
import { isLoopback } from './request-guard.ts';

export interface ServerOptions extends Omit<AppOptions, 'signal'> {
  /** `127.0.0.1` when absent; only loopback is accepted. */
  readonly host?: string;
  /** 0 takes a free one. */
  readonly port: number;
}

export interface RunningServer {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  /** Ends open streams and connections; runs go on. May be called again. */
  close(): Promise<void>;
}

/** Serves the app on this machine. */
export async function startServer({ host = '127.0.0.1', port, ...options }: ServerOptions): Promise<RunningServer> {
  if (!isLoopback(host))
    throw new SingletreeError(
      'invalid_argument',
      `Cannot listen on "${host}": the server has no sign-in and answers only this machine. Use 127.0.0.1, localhost or ::1.`,
    );
  const closing = new AbortController();
  const app = createApp({ ...options, signal: closing.signal });
  const server = createAdaptorServer({ fetch: app.fetch }) as Server;
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  let closed: Promise<unknown> | undefined;
  return {
    url: `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}`,
    async close() {
      closed ??= new Promise(resolve => server.close(resolve));
      closing.abort();
      server.closeAllConnections();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host.replaceAll(/[[\]]/g, ''));
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why =
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is taken by another program. Stop it, or choose another port.`
        : code === 'EACCES'
          ? `Port ${port} on ${host} may not be used by this user. Choose a port above 1023.`
          : `Cannot listen on ${host}, port ${port} (${String(code ?? cause)}).`;
    throw new SingletreeError('address_unavailable', why, { details: { host, port }, cause });
  }
}
