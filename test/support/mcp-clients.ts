import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { allRights } from '../../src/server/security/caller.ts';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import type { Agent } from '../../src/agents/contract/agent.ts';
import type { McpGrant } from '../../src/server/mcp/mcp-access.ts';
import { McpConnection } from '../../src/server/mcp/mcp-connection.ts';
import { serveConnection } from '../../src/server/mcp/serve-connection.ts';
import { Site } from '../../src/server/site.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export type Era = 'legacy' | 'modern';

/** What the person at a client answers when a tool asks: whether they accept, and what they fill in. */
export type PersonAnswer = { action: 'accept'; content: Record<string, string> } | { action: 'decline' | 'cancel' };

export interface ClientOptions {
  readonly person?: (message: string) => PersonAnswer;
  readonly name?: string;
}

/** Creates a client of the library that speaks the protocol of 2025 or of 2026. */
export function createMcpClient(era: Era, { person, name = 'tester' }: ClientOptions = {}): Client {
  const client = new Client(
    { name, version: '1.0.0' },
    {
      capabilities: person === undefined ? {} : { elicitation: {} },
      ...(era === 'modern' && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  if (person !== undefined)
    client.setRequestHandler('elicitation/create', async request => person(request.params.message));
  return client;
}

/** A server with agents, and clients of it by each transport. */
export interface McpScene extends TestServer {
  readonly site: Site;
  /** Connects a client on one channel, as on standard input and output, to a connection of its own. */
  readonly overChannel: (
    era: Era,
    options?: ClientOptions & { folder?: string; allow?: readonly McpGrant[] },
  ) => Promise<Client>;
  /** Connects a client to `/mcp`. */
  readonly overHttp: (
    era: Era,
    options?: ClientOptions & { token?: string; headers?: Record<string, string> },
  ) => Promise<Client>;
}

/** Starts a server whose MCP clients may do everything, unless the options say otherwise. */
export async function startMcpScene(
  agents: readonly Agent[],
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<McpScene> {
  const mcpAllow = options.mcpAllow ?? ['run', 'answer'];
  const server = await startTestServer(agents, { logStyle: 'off', ...options, mcpAllow });
  const { log, control } = server;
  const directory = {
    list: () => agents.map(({ id }) => ({ id, name: id })),
    get: (id: string) => agents.find(agent => agent.id === id),
  };
  const stop = new AbortController();
  const { secrets = [], onFailure } = options;
  const site = new Site({
    log,
    control,
    agents: directory,
    secrets,
    signal: stop.signal,
    ...(onFailure && { onFailure }),
  });
  const closers: (() => Promise<void>)[] = [];
  let connections = 0;
  return {
    ...server,
    site,
    overChannel: async (era, { folder, allow = mcpAllow, ...client } = {}) => {
      const access = { scope: { rights: allRights }, allow, folder, connection: `test:${connections++}` };
      const [near, far] = InMemoryTransport.createLinkedPair();
      const handle = serveConnection(new McpConnection(async () => site, access), {
        version: '1.0.0',
        transport: far,
        onerror: () => {},
      });
      const connected = createMcpClient(era, client);
      await connected.connect(near);
      closers.push(
        () => connected.close(),
        () => handle.close(),
      );
      return connected;
    },
    overHttp: async (era, { token, headers, ...client } = {}) => {
      const sent = { ...headers, ...(token !== undefined && { authorization: `Bearer ${token}` }) };
      const transport = new StreamableHTTPClientTransport(new URL(`${server.url}/mcp`), {
        requestInit: { headers: sent },
      });
      const connected = createMcpClient(era, client);
      await connected.connect(transport);
      closers.push(() => connected.close());
      return connected;
    },
    close: async () => {
      for (const close of closers) await close();
      stop.abort();
      await server.close();
    },
  };
}

/** Calls a tool; returns its value, or throws its error. */
export async function useTool(
  client: Client,
  name: string,
  input: Record<string, unknown> = {},
  options: Parameters<Client['callTool']>[1] & { meta?: Record<string, unknown> } = {},
): Promise<Record<string, unknown>> {
  const { meta, ...rest } = options;
  const result = await client.callTool({ name, arguments: input, ...(meta && { _meta: meta }) }, rest);
  const [first] = result.content as { text?: string }[];
  if (result.isError === true) throw new Error(first?.text);
  const value = result.structuredContent as Record<string, unknown>;
  if (JSON.stringify(value) !== first?.text) throw new Error('The text is not the same as the structured content.');
  return value;
}
