import { optionsCheck } from '../../base/options/check-options.ts';
import { milliseconds, number } from '../../base/options/option-fields.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Tool } from '../contract/agent.ts';
import { type McpServer, type McpServersConfig, mcpServersIn, parseMcpServer } from '../contract/mcp-server.ts';
import type { McpOptions, McpSource } from './mcp-source.ts';
import { serverSegments } from './mcp-tools.ts';

const checkOptions = optionsCheck<McpOptions>('connectMcp')(() => ({
  startTimeoutMs: milliseconds().optional(),
  callTimeoutMs: milliseconds().optional(),
  maxRestarts: number().optional(),
  restartDelayMs: milliseconds().optional(),
  maxResultLength: number().optional(),
}));

/**
 * Starts an MCP server, or connects to the one at an address, and returns its tools; rejects when it does not answer.
 */
export async function connectMcp(server: McpServer, options: McpOptions = {}): Promise<McpSource> {
  checkOptions(options);
  const checked = parseMcpServer(server);
  return open(checked, [checked.name], options);
}

/** A server that could not be connected, and the reason. */
export interface McpConnectFailure {
  readonly name: string;
  readonly error: SingletreeError;
}

/** Several MCP servers together. */
export class McpSources {
  readonly sources: readonly McpSource[];
  readonly failures: readonly McpConnectFailure[];

  constructor(sources: readonly McpSource[], failures: readonly McpConnectFailure[]) {
    this.sources = sources;
    this.failures = failures;
  }

  /** The current tools of all servers. */
  tools(): readonly Tool[] {
    return this.sources.flatMap(source => source.tools());
  }

  /** Stops all servers and waits until their processes have ended. */
  async close(): Promise<void> {
    await Promise.all(this.sources.map(source => source.close()));
  }
}

/** Connects to all servers of a configuration concurrently; reports those that fail without stopping the others. */
export async function connectAllMcp(config: McpServersConfig, options: McpOptions = {}): Promise<McpSources> {
  checkOptions(options);
  const servers = mcpServersIn(config);
  const names = [...servers.keys()];
  const sources: McpSource[] = [];
  const failures: McpConnectFailure[] = [];
  await Promise.all(
    names.map(async name => {
      try {
        sources.push(await open(parseMcpServer(servers.get(name)), names, options));
      } catch (error) {
        if (!SingletreeError.is(error)) throw error;
        failures.push({ name, error });
      }
    }),
  );
  const inOrder = (a: { name: string }, b: { name: string }) => names.indexOf(a.name) - names.indexOf(b.name);
  return new McpSources(sources.toSorted(inOrder), failures.toSorted(inOrder));
}

/** Connects to one of several servers. The MCP client is loaded only here: most programs connect to none. */
async function open(server: McpServer, names: readonly string[], options: McpOptions): Promise<McpSource> {
  const { McpSource } = await import('./mcp-source.ts');
  return McpSource.open(server, serverSegments(names).get(server.name) as string, options);
}
