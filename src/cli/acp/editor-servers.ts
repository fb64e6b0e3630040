import { existsSync } from 'node:fs';
import type { Agent } from '../../agents/contract/agent.ts';
import type { SessionMcpServers } from '../../agents/contract/host.ts';
import { connectAllMcp, type McpSources } from '../../agents/mcp/connect-mcp.ts';
import type { TrustedFolders } from '../../config/project-trust.ts';
import type { McpServer } from '@agentclientprotocol/sdk';

/**
 * The MCP servers that an editor names for its sessions. They start programs and get headers with keys, so they are used
 * only in folders that the person trusts.
 */
export class EditorServers {
  readonly #trusted: TrustedFolders;
  readonly #connected = new Map<string, McpSources>();
  /** The servers passed to external agents, which connect to them themselves. */
  readonly #passed = new Map<string, SessionMcpServers>();

  constructor(trusted: TrustedFolders) {
    this.#trusted = trusted;
  }

  /**
   * Replaces the MCP servers of a session: connects them for an agent of this package, or stores them for the runs of
   * an external agent. Returns notices about servers that are not used.
   */
  async use(
    threadId: string,
    servers: readonly McpServer[],
    { cwd, agent }: { readonly cwd: string; readonly agent: Agent | undefined },
  ): Promise<readonly string[]> {
    await this.close(threadId);
    if (servers.length === 0) return [];
    const names = servers.map(({ name }) => name).join(', ');
    if (!existsSync(cwd) || !this.#trusted.isTrusted(cwd))
      return [
        `The MCP servers of the editor are not used (${names}): this folder is not trusted. To use them: singletree config trust ${cwd}`,
      ];
    if (agent?.abilities?.isExternal === true && agent.abilities?.takesMcpServers !== true)
      return [`The MCP servers of the editor are not used (${names}): the agent "${agent.id}" takes none.`];
    const settings = Object.fromEntries(servers.flatMap(server => toSettings(server, cwd)));
    const refused = servers.flatMap(server =>
      'type' in server && server.type === 'sse'
        ? [`The MCP server "${server.name}" is not used: SSE is not supported.`]
        : [],
    );
    this.#passed.set(threadId, settings);
    if (agent?.abilities?.isExternal === true) return refused;
    const sources = await connectAllMcp({ mcpServers: settings });
    this.#connected.set(threadId, sources);
    const failures = sources.failures.map(
      ({ name, error }) => `The MCP server "${name}" is not available: ${error.message}`,
    );
    return [...refused, ...failures];
  }

  /** Returns the agent with the servers of a thread: their tools, or for an external agent the servers themselves. */
  withServers(agent: Agent, threadId: string): Agent {
    return {
      ...agent,
      invoke: params => {
        if (agent.abilities?.takesMcpServers === true) {
          const mcpServers = this.#passed.get(threadId);
          return agent.invoke(mcpServers === undefined ? params : { ...params, host: { ...params.host, mcpServers } });
        }
        const tools = this.#connected.get(threadId)?.tools() ?? [];
        const host = { ...params.host, tools: [...(params.host.tools ?? []), ...tools] };
        return agent.invoke(tools.length === 0 ? params : { ...params, host });
      },
    };
  }

  async close(threadId: string): Promise<void> {
    const sources = this.#connected.get(threadId);
    this.#connected.delete(threadId);
    this.#passed.delete(threadId);
    await sources?.close();
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#connected.keys()].map(threadId => this.close(threadId)));
  }
}

function toSettings(server: McpServer, cwd: string): (readonly [string, SessionMcpServers[string]])[] {
  const toRecord = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if (!('type' in server)) {
    const { name, command, args, env } = server;
    return [[name, { command, args: [...args], env: toRecord(env), cwd }]];
  }
  return server.type === 'http' ? [[server.name, { url: server.url, headers: toRecord(server.headers) }]] : [];
}
