import type { McpHttpHandler } from '@modelcontextprotocol/server';
import { defined } from '../../events/defined.ts';
import type { McpAccess } from '../mcp/mcp-access.ts';
import { type Route, type RouteRequest, route } from '../route.ts';
import type { Site } from '../site.ts';

const tag = 'MCP';
const path = '/mcp';
/** How large a message may be, and how many streams of changes a token may have open. */
const mostBytes = 4 * 1024 * 1024;
const mostSubscriptions = 64;

/** The conversations as an MCP server, for other agents; the library is loaded when one calls. */
export function mcpRoutes(site: Site): Route[] {
  const handlers = new Map<string, Promise<McpHttpHandler>>();
  const handle = async ({ context, scope: { resourceId, by } }: RouteRequest<unknown, unknown>) => {
    // As many as there are tokens.
    const connection = `token:${JSON.stringify([resourceId, by])}`;
    const access = { scope: defined({ resourceId, by }), allow: site.options.mcpAllow ?? [], connection };
    let handler = handlers.get(connection);
    if (handler === undefined) handlers.set(connection, (handler = createHandler(site, access)));
    const response = await (await handler).fetch(context.req.raw);
    // Node decides it: a client that asked to close a connection must not use it again.
    response.headers.delete('connection');
    return response;
  };
  const description = 'A message of the Model Context Protocol, or a stream of them';
  const answer = [
    { contentType: 'application/json', description },
    { contentType: 'text/event-stream', description },
  ];
  const upload = { contentType: 'application/json', description: 'A message of the Model Context Protocol' };
  const others = { 202: 'The message needs no answer' };
  // Clients of 2025 ask for a session: they are answered that there is none.
  const none = { 405: 'The server has no sessions' };
  return [
    route({
      method: 'post',
      path,
      tag,
      summary: 'Use the conversations as a server of the Model Context Protocol',
      upload,
      answer,
      others,
      handle,
    }),
    route({ method: 'get', path, tag, summary: 'Not offered: open a session', others: none, handle }),
    route({ method: 'delete', path, tag, summary: 'Not offered: end a session', others: none, handle }),
  ];
}

async function createHandler(site: Site, access: McpAccess): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { createConversationServer }, { McpConnection }, { watchThreads }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('../mcp/conversation-server.ts'),
    import('../mcp/mcp-connection.ts'),
    import('../mcp/thread-changes.ts'),
  ]);
  const connection = new McpConnection(async () => site, access);
  const { version = '0' } = site.options;
  const create = ({ era }: { readonly era: string }) =>
    createConversationServer(connection, { version, isModern: era === 'modern' });
  const handler = createMcpHandler(create, {
    maxRequestBodySize: mostBytes,
    maxSubscriptions: mostSubscriptions,
    bus: { publish: () => {}, subscribe: listener => watchThreads(site, access, listener) },
  });
  site.signal.addEventListener('abort', () => void handler.close().catch(site.reportFailure), { once: true });
  return handler;
}
