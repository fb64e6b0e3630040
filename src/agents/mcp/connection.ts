import { setTimeout } from 'node:timers/promises';
import {
  type CallToolRequestParams,
  type CallToolRequestOptions,
  type CallToolResult,
  Client,
  type Tool as McpTool,
} from '@modelcontextprotocol/client';
import { TimeLimit } from '../loop/time-limit.ts';
import { untilAborted } from '../loop/until-aborted.ts';
import { isOtherEra, problemIn } from './failure.ts';
import { HttpTransport } from './http-transport.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import { StdioTransport } from './stdio-transport.ts';

export interface ConnectionOptions {
  readonly server: McpServer;
  /** The time limit until the server is ready, in milliseconds. */
  readonly startTimeoutMs: number;
  readonly signal: AbortSignal;
  /** Called when the server's tools change. */
  readonly onTools: (tools: readonly McpTool[]) => void;
}

type Transport = StdioTransport | HttpTransport;
type Mode = 'legacy' | 'auto';

/** The longest delay of a timer, in milliseconds. */
export const longestTimeout = 2 ** 31 - 1;

/** The shortest time between two lists of changed tools, in milliseconds. */
const listPauseMs = 250;

/** The name and version that the client sends to a server. */
const clientInfo = { name: 'singletree', version: '1' };

/** One connection to a server, from its start to its end. */
export class Connection {
  readonly #client: Client;
  readonly #transport: Transport;
  #isOpen = true;
  #isClosed = false;
  #calls = 0;
  #isListStale = false;
  #isListing = false;

  private constructor(client: Client, transport: Transport) {
    this.#client = client;
    this.#transport = transport;
  }

  /**
   * Starts the server and waits until its tools are known; rejects with an `Error` that describes the failure. It first
   * uses the protocol generation that most servers of the kind understand, and the other one when the server rejects
   * that.
   */
  static async open(options: ConnectionOptions): Promise<Connection> {
    const [first, second] = 'command' in options.server ? (['legacy', 'auto'] as const) : (['auto', 'legacy'] as const);
    try {
      return await Connection.#open(options, first);
    } catch (error) {
      if (!(error instanceof OtherEra)) throw error;
      return await Connection.#open(options, second);
    }
  }

  static async #open({ server, startTimeoutMs, signal, onTools }: ConnectionOptions, mode: Mode): Promise<Connection> {
    const transport = 'command' in server ? new StdioTransport(server) : new HttpTransport(server);
    // The limit is ours, so that it applies to the whole start.
    const timeout = Math.min(startTimeoutMs * 2, longestTimeout);
    const client: Client = new Client(clientInfo, {
      versionNegotiation: { mode },
      listChanged: {
        tools: { autoRefresh: false, debounceMs: 0, onChanged: () => void connection.#listAgain(timeout, onTools) },
      },
    });
    const connection = new Connection(client, transport);
    const limit = new TimeLimit(startTimeoutMs, signal);
    try {
      await untilAborted(client.connect(transport, { timeout }), limit.signal);
      onTools(await untilAborted(connection.#listTools(timeout), limit.signal));
      return connection;
    } catch (error) {
      const isLate = limit.over;
      await connection.close();
      if (isLate)
        throw new Error(`it did not answer within ${startTimeoutMs} ms.${connection.lastWords}`, { cause: error });
      if (isOtherEra(error)) throw new OtherEra(`${problemIn(error, server)}.`, { cause: error });
      throw new Error(connection.end ?? `${problemIn(error, server)}.`, { cause: error });
    } finally {
      limit.clear();
    }
  }

  /** Whether it accepts another call. */
  get isOpen(): boolean {
    return this.#isOpen && this.end === undefined;
  }

  /** Whether everything of it has ended. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  get sessionId(): string | undefined {
    return 'sessionId' in this.#transport ? this.#transport.sessionId : undefined;
  }

  /** The exit of the server in words; undefined while it is running, or when it is not our process. */
  get end(): string | undefined {
    return 'end' in this.#transport ? this.#transport.end : undefined;
  }

  /** The last stderr output of the server, as a sentence to append. */
  get lastWords(): string {
    return 'lastWords' in this.#transport ? this.#transport.lastWords : '';
  }

  async call(params: CallToolRequestParams, options: CallToolRequestOptions): Promise<CallToolResult> {
    this.#calls++;
    try {
      return await this.#client.callTool(params, options);
    } finally {
      this.#calls--;
      if (!this.#isOpen && this.#calls === 0) await this.close();
    }
  }

  /** Accepts no more calls, and closes when the pending ones have their answers. */
  async retire(): Promise<void> {
    this.#isOpen = false;
    if (this.#calls === 0) await this.close();
  }

  /** Ends the server, or the session with it, and waits until it has ended; never rejects. */
  async close(): Promise<void> {
    this.#isOpen = false;
    await this.#transport.close().catch(() => {});
    await this.#client.close().catch(() => {});
    this.#isClosed = true;
  }

  /** Lists the tools after a change: one request at a time, with a pause between two, however many changes are reported. */
  async #listAgain(timeout: number, onTools: ConnectionOptions['onTools']): Promise<void> {
    this.#isListStale = true;
    if (this.#isListing) return;
    this.#isListing = true;
    while (this.#isListStale && this.isOpen) {
      this.#isListStale = false;
      // A server that cannot list them now keeps the tools that it named before.
      const tools = await this.#listTools(timeout).catch(() => undefined);
      if (tools !== undefined) onTools(tools);
      await setTimeout(listPauseMs, undefined, { ref: false });
    }
    this.#isListing = false;
  }

  async #listTools(timeout: number): Promise<readonly McpTool[]> {
    if (this.#client.getServerCapabilities()?.tools === undefined) return [];
    const { tools } = await this.#client.listTools(undefined, { timeout });
    return tools;
  }
}

/** The server uses another generation of the protocol. */
class OtherEra extends Error {}
