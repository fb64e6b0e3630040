import { existsSync } from 'node:fs';
import { type Agent, connectAllMcp, type McpSources } from '../../agents/index.ts';
import type { TrustedFolders } from '../../config/index.ts';
import type { McpServer } from './acp-library.ts';

/**
 * The MCP servers that an editor names for its sessions. They start programs and get headers with keys, so they are used
 * only in folders that the person trusts.
 */
export class EditorServers {
  readonly #trusted: TrustedFolders;
  readonly #connected = new Map<string, McpSources>();

  constructor(trusted: TrustedFolders) {
    this.#trusted = trusted;
  }

  /** Connects the servers of a session instead of those before; returns a sentence for each that is not used. */
  async connect(threadId: string, servers: readonly McpServer[], cwd: string): Promise<readonly string[]> {
    await this.close(threadId);
    if (servers.length === 0) return [];
    const names = servers.map(({ name }) => name).join(', ');
    if (!existsSync(cwd) || !this.#trusted.isTrusted(cwd))
      return [
        `The MCP servers of the editor are not used (${names}): this folder is not trusted. To use them: singletree config trust ${cwd}`,
      ];
    const settings = servers.flatMap(server => toSettings(server, cwd));
    const sources = await connectAllMcp({ mcpServers: Object.fromEntries(settings) });
    this.#connected.set(threadId, sources);
    return [
      ...servers.flatMap(server =>
        'type' in server && server.type === 'sse'
          ? [`The MCP server "${server.name}" is not used: SSE is not supported.`]
          : [],
      ),
      ...sources.failures.map(({ name, error }) => `The MCP server "${name}" is not available: ${error.message}`),
    ];
  }

  /** Returns the agent with the tools of the servers of a thread; external agents have only their own. */
  withTools(agent: Agent, threadId: string): Agent {
    return {
      ...agent,
      invoke: params => {
        const tools = this.#connected.get(threadId)?.tools() ?? [];
        return agent.invoke(tools.length === 0 ? params : { ...params, tools: [...(params.tools ?? []), ...tools] });
      },
    };
  }

  async close(threadId: string): Promise<void> {
    const sources = this.#connected.get(threadId);
    this.#connected.delete(threadId);
    await sources?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#connected.keys()].map(threadId => this.close(threadId)));
  }
}

type McpSettings = Parameters<typeof connectAllMcp>[0]['mcpServers'][string];

function toSettings(server: McpServer, cwd: string): (readonly [string, McpSettings])[] {
  const toRecord = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (!('type' in server)) {
    const { name, command, args, env } = server;
    return [[name, { command, args: [...args], env: toRecord(env), cwd }]];
  }
  return server.type === 'http' ? [[server.name, { url: server.url, headers: toRecord(server.headers) }]] : [];
}
