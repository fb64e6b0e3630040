import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdaptorServer } from '@hono/node-server';
import { SingletreeError } from '../base/singletree-error.ts';
import { buildApp } from './app.ts';
import { isLoopback } from './security/request-guard.ts';
import { checkAuthenticated, checkServerOptions, type ServerOptions } from './server-options.ts';
import { Site } from './site.ts';

export interface RunningServer {
  /** Where it answers, without a slash at the end. */
  readonly url: string;
  /** Returns a one-time sign-in address for one of `tokens`, which the address does not contain. */
  createLink(token: string): string;
  /** Adds secret values to redact from all further output. */
  hideSecrets(secrets: Iterable<string>): void;
  /** Delivers messages that were queued when the previous process ended; call it after runs were recovered. */
  resume(): Promise<void>;
  /** Stops accepting requests, ends open streams and waits for open requests up to `graceMs`; runs continue. */
  close(): Promise<void>;
}

/** Serves the app. Rejects with `invalid_argument` for options that are unknown, missing or invalid. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  checkServerOptions(options);
  const { host = '127.0.0.1', port, graceMs = 3000, page = true, webRoot = ownPage(), ...appOptions } = options;
  const isPublic = !isLoopback(host);
  if (isPublic) checkAuthenticated(options, `listen on "${host}"`);
  const closing = new AbortController();
  const site = new Site({
    ...appOptions,
    ...(page && webRoot !== undefined && { webRoot }),
    signal: closing.signal,
    isPublic,
  });
  const server = createAdaptorServer({ fetch: buildApp(site).fetch }) as Server;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await listen(server, host, port);
  const bound = (server.address() as AddressInfo).port;
  const url = `http://${host.includes(':') && !host.startsWith('[') ? `[${host}]` : host}:${bound}`;
  let closed: Promise<unknown> | undefined;
  return {
    url,
    createLink: token => {
      if (options.authenticate !== undefined)
        throw new SingletreeError(
          'not_supported',
          'This server has no tokens: its `authenticate` decides who is let in.',
        );
      return `${url}/login?token=${site.access.createKey(token)}`;
    },
    hideSecrets: secrets => site.redactor.add(secrets),
    resume: () => site.conversations.recover(),
    async close() {
      closing.abort();
      closed ??= new Promise(resolve => server.close(resolve));
      const idle = setInterval(() => {
        server.closeIdleConnections();
        // Node does not treat a connection without any request as idle.
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
      }, 20);
      const impatient = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearInterval(idle);
      clearTimeout(impatient);
    },
  };
}

/** The folder of the page that the package contains; undefined when it was not built. */
function ownPage(): string | undefined {
  const folder = fileURLToPath(new URL('../web', import.meta.url));
  return existsSync(join(folder, 'index.html')) ? folder : undefined;
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host.replaceAll(/[[\]]/g, ''));
  try {
    await once(server, 'listening');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why =
      code === 'EADDRINUSE'
        ? `Port ${port} on ${host} is taken by another program. Stop it, or choose another port with --port (0 selects a free one).`
        : code === 'EACCES'
          ? `Port ${port} on ${host} may not be used by this user. Choose a port above 1023 with --port.`
          : `Cannot listen on ${host}, port ${port} (${String(code ?? cause)}).`;
    throw new SingletreeError('address_unavailable', why, { details: { host, port }, cause });
  }
}
