import type { McpServer, ServerEvent, Transport } from '@modelcontextprotocol/server';
import { type StdioServerHandle, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createConversationServer } from './conversation-server.ts';
import type { McpConnection } from './mcp-connection.ts';

/** How many streams of changes a client may have open. */
const mostSubscriptions = 64;

export interface ServeConnectionOptions {
  readonly version: string;
  readonly transport: Transport;
  readonly onerror: (error: Error) => void;
}

/** Serves one client on a transport that stays open, in the era that it speaks, and reports changes of threads to it. */
export function serveConnection(
  connection: McpConnection,
  { version, transport, onerror }: ServeConnectionOptions,
): StdioServerHandle {
  /** The resources that a client of 2025 follows; for others the library keeps them. */
  let followed: Set<string> | undefined;
  let server: McpServer | undefined;
  const report = (event: ServerEvent) => {
    if (server?.isConnected() !== true) return;
    if (event.kind === 'resources_list_changed') server.sendResourceListChanged();
    else if (event.kind === 'resource_updated' && followed?.has(event.uri) !== false)
      server.server.sendResourceUpdated({ uri: event.uri }).catch(onerror);
  };
  const handle = serveStdio(
    ({ era }) => {
      followed = era === 'legacy' ? new Set() : undefined;
      server = createConversationServer(connection, { version, followed, isModern: era === 'modern' });
      return server;
    },
    { transport, onerror, maxSubscriptions: mostSubscriptions },
  );
  const stop = connection.watch(report);
  return {
    close: async () => {
      stop();
      await handle.close();
    },
  };
}
