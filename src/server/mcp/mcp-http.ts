import type { McpHttpHandler } from '@modelcontextprotocol/server';
import type { Handler } from 'hono';
import { defined } from '../../base/defined.ts';
import type { AppEnv } from '../route.ts';
import { checkRight } from '../security/caller.ts';
import type { Site } from '../site.ts';
import type { McpAccess } from './mcp-access.ts';

/** The maximum size of a message, and of open change streams per token. */
const mostBytes = 4 * 1024 * 1024;
const mostSubscriptions = 64;
/** The maximum number of handlers; the least recently used one is closed, and created again when its caller returns. */
const mostHandlers = 1000;
/** The rights that a caller needs for each grant. */
const neededRights = { run: 'send', answer: 'approve' } as const;

/** Answers the requests of one caller. Closing it ends the streams of changes that it has open. */
type CallerHandler = Pick<McpHttpHandler, 'fetch'> & { readonly close: () => void };

/** Creates the handler of `/mcp`, which responds with MCP errors; the MCP library is loaded by the first request. */
export function mcpHandler(site: Site, limit: number = mostHandlers): Handler<AppEnv> {
  const handlers = new Map<string, Promise<CallerHandler>>();
  return async context => {
    context.set('route', '/mcp');
    const { resourceId, by, rights } = context.get('scope');
    checkRight({ rights, ...defined({ by }) }, 'read');
    const connection = `token:${JSON.stringify([resourceId, by, rights])}`;
    const allow = (site.options.mcpAllow ?? []).filter(grant => rights.includes(neededRights[grant]));
    const access = { scope: { rights, ...defined({ resourceId, by }) }, allow, connection };
    const handler = handlers.get(connection) ?? createHandler(site, access);
    handlers.delete(connection);
    handlers.set(connection, handler);
    for (const [silent, dropped] of handlers) {
      if (handlers.size <= limit) break;
      handlers.delete(silent);
      dropped.then(({ close }) => close(), site.reportFailure);
    }
    const response = await (await handler).fetch(context.req.raw);
    // Node sets this header itself, also when the client asked to close the connection.
    response.headers.delete('connection');
    return response;
  };
}

async function createHandler(site: Site, access: McpAccess): Promise<CallerHandler> {
  const [{ createMcpHandler }, { createConversationServer }, { McpConnection }, { watchThreads }] = await Promise.all([
    import('@modelcontextprotocol/server'),
    import('./conversation-server.ts'),
    import('./mcp-connection.ts'),
    import('./thread-changes.ts'),
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
  const close = () => {
    site.signal.removeEventListener('abort', close);
    handler.close().catch(site.reportFailure);
  };
  site.signal.addEventListener('abort', close);
  return { fetch: handler.fetch, close };
}
