import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpCall, McpToolHandlers } from './mcp-call.ts';
import type { McpConnection } from './mcp-connection.ts';
import { addResources } from './mcp-resources.ts';
import { type McpToolName, mcpTools, type ToolDefinition } from './mcp-tools.ts';

const instructions =
  'Singletree keeps the conversations of all AI agents of this person: search and read them before you ask what was done or decided earlier. Runs that take long return ids: wait for them with run_wait, and let a person answer what they ask.';

/** The number of resources to which a client of protocol 2025 may subscribe. */
const mostFollowed = 1_000;

export interface ConversationServerOptions {
  readonly version: string;
  /** Receives the subscriptions of a client of protocol 2025; without it such a client cannot subscribe. */
  readonly followed?: Set<string> | undefined;
  /** Whether the client uses protocol 2026, whose subscriptions the library manages. */
  readonly isModern: boolean;
}

/** Creates the MCP server of a connection, for both eras of the protocol; it answers before the log is opened. */
export function createConversationServer(
  connection: McpConnection,
  { version, followed, isModern }: ConversationServerOptions,
): McpServer {
  const subscribe = isModern || followed !== undefined;
  const server = new McpServer(
    { name: 'singletree', title: 'Singletree', version },
    { instructions, capabilities: { resources: { listChanged: true, subscribe } } },
  );
  if (followed !== undefined) {
    server.server.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
      if (followed.size >= mostFollowed)
        throw new ProtocolError(
          ProtocolErrorCode.InvalidParams,
          `${mostFollowed} resources are followed. Leave one first.`,
        );
      followed.add(uri);
      return {};
    });
    server.server.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
      followed.delete(uri);
      return {};
    });
  }
  for (const name of Object.keys(mcpTools) as McpToolName[]) addTool(server, connection, name);
  addResources(server, connection);
  return server;
}

/** Adds a tool that the connection may use. */
function addTool(server: McpServer, connection: McpConnection, name: McpToolName): void {
  const { description, input: inputSchema, output: outputSchema, annotations, needs }: ToolDefinition = mcpTools[name];
  if (needs !== undefined && !connection.access.allow.includes(needs)) return;
  server.registerTool(name, { description, inputSchema, outputSchema, annotations }, (input, context) =>
    connection.answer(server, context, async call => {
      const { toolHandlers } = await import('./tool-handlers.ts');
      const handle = toolHandlers[name] as (
        checked: unknown,
        call: McpCall,
      ) => ReturnType<McpToolHandlers[typeof name]>;
      return handle(input, call);
    }),
  );
}
