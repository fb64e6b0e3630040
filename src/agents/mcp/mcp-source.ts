import { defined } from '../../base/defined.ts';
import { setTimeout } from 'node:timers/promises';
import type { Tool as McpTool, Progress } from '@modelcontextprotocol/client';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { ToolReturn } from '../contract/tool-values.ts';
import type { Tool, ToolCall } from '../contract/agent.ts';
import { untilAborted } from '../run/until-aborted.ts';
import { Connection, longestTimeout } from './connection.ts';
import {
  isConnectionLost,
  isSessionLost,
  isTimeout,
  problemIn,
  redactor,
  textOfResult,
  toolReturn,
} from './failure.ts';
import type { McpServer } from '../contract/mcp-server.ts';
import { describeMcpTools } from './mcp-tools.ts';
import { RestartPolicy } from './restart-policy.ts';

export interface McpOptions {
  /** The time limit for starting a server and listing its tools, in milliseconds. Default: 30 seconds. */
  readonly startTimeoutMs?: number;
  /** The time limit of a call without an answer or progress, in milliseconds. Default: 5 minutes. */
  readonly callTimeoutMs?: number;
  /** The number of consecutive restarts of a server that went down. Default: 5. A successful call resets the count. */
  readonly maxRestarts?: number;
  /** The delay before the second consecutive start, in milliseconds, doubled for each further one. Default: 500. */
  readonly restartDelayMs?: number;
  /** The number of characters above which results are shortened. Default: 100,000. */
  readonly maxResultLength?: number;
}

/** The state of a server: a `down` server ended or cannot be reached, and the next call restarts it. */
export interface McpStatus {
  readonly state: 'connected' | 'down' | 'closed';
  /** The last failure. */
  readonly problem?: string;
}

/** The tools of one MCP server. */
export class McpSource {
  readonly name: string;
  readonly #server: McpServer;
  readonly #options: Required<McpOptions>;
  readonly #segment: string;
  readonly #restarts: RestartPolicy;
  readonly #hide: (text: string) => string;
  readonly #closing = new AbortController();
  readonly #connections = new Set<Connection>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #tools: readonly Tool[] = [];
  #problem: string | undefined;

  private constructor(server: McpServer, segment: string, options: McpOptions) {
    const { startTimeoutMs = 30_000, callTimeoutMs = 300_000, maxRestarts = 5, restartDelayMs = 500 } = options;
    const { maxResultLength = 100_000 } = options;
    this.name = server.name;
    this.#server = server;
    this.#segment = segment;
    this.#options = { startTimeoutMs, callTimeoutMs, maxRestarts, restartDelayMs, maxResultLength };
    this.#restarts = new RestartPolicy(maxRestarts, restartDelayMs);
    this.#hide = redactor(server);
  }

  /** Connects to a server; rejects when it does not start. */
  static async open(server: McpServer, segment: string, options: McpOptions): Promise<McpSource> {
    const source = new McpSource(server, segment, options);
    await source.reconnect();
    return source;
  }

  get status(): McpStatus {
    const problem = this.#problem !== undefined && { problem: this.#problem };
    if (this.#closing.signal.aborted) return { state: 'closed', ...problem };
    return this.#connection?.isOpen ? { state: 'connected' } : { state: 'down', ...problem };
  }

  /** The current tools; the list is a new one when the server changes them. */
  tools(): readonly Tool[] {
    return this.#tools;
  }

  /** Reconnects when the server is down, regardless of earlier attempts. */
  async reconnect(): Promise<void> {
    this.#restarts.reset();
    await this.#connected();
    this.#restarts.reset();
  }

  /** Stops the server and waits until its processes have ended; pending calls fail. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#connecting?.catch(() => {});
    await Promise.all([...this.#connections].map(connection => connection.close()));
  }

  async #call(tool: McpTool, input: unknown, context: ToolCall): Promise<ToolReturn> {
    const { callTimeoutMs, maxResultLength } = this.#options;
    const { signal } = context;
    const { name, outputSchema: _, ...rest } = tool;
    for (let renewed = false; ; renewed = true) {
      const connection = await untilAborted(this.#connected(), signal);
      try {
        const result = await connection.call(
          { name, arguments: input as Record<string, unknown> },
          {
            signal,
            timeout: Math.min(callTimeoutMs, longestTimeout),
            resetTimeoutOnProgress: true,
            onprogress: progress => context.progress(toReport(progress)),
            // Without the output schema: a result that does not match it is still better than none.
            toolDefinition: { name, ...rest },
          },
        );
        this.#restarts.reset();
        if (result.isError !== true) return toolReturn(result, maxResultLength);
        throw new ToolFailure(this.#hide(textOfResult(result, maxResultLength)) || `${name} failed without a word.`);
      } catch (error) {
        if (error instanceof ToolFailure) throw error;
        signal.throwIfAborted();
        if (!renewed && isSessionLost(error, connection.sessionId)) await connection.retire();
        else throw await this.#failure(error, name, connection);
      }
    }
  }

  /** Returns the current connection, or a new one that all waiting callers share. */
  #connected(): Promise<Connection> {
    if (this.#closing.signal.aborted) return Promise.reject(this.#error('was closed.', 'Connect to it again.'));
    if (this.#connection?.isOpen) return Promise.resolve(this.#connection);
    return (this.#connecting ??= this.#connect().finally(() => (this.#connecting = undefined)));
  }

  async #connect(): Promise<Connection> {
    const { signal } = this.#closing;
    const delay = this.#restarts.next();
    if (delay === undefined)
      throw this.#error(
        `is down, and was tried ${this.#options.maxRestarts} times in a row. It ${this.#problem ?? 'ended.'}`,
        'Mend it, then call reconnect() of its source.',
      );
    try {
      if (delay > 0) await setTimeout(delay, undefined, { signal });
      const opened = await Connection.open({
        server: this.#server,
        startTimeoutMs: this.#options.startTimeoutMs,
        signal,
        onTools: tools => (this.#tools = this.#toTools(tools)),
      });
      for (const connection of this.#connections) if (connection.isClosed) this.#connections.delete(connection);
      this.#connections.add(opened);
      return (this.#connection = opened);
    } catch (error) {
      if (signal.aborted) throw this.#error('was closed.', 'Connect to it again.');
      throw this.#down(`could not be connected to: ${(error as Error).message}`, 'Check its configuration.');
    }
  }

  #toTools(tools: readonly McpTool[]): readonly Tool[] {
    return describeMcpTools(tools, {
      segment: this.#segment,
      call: (tool, input, context) => this.#call(tool, input, context),
    });
  }

  /** Creates the error of a failed call, for the model and for users. */
  async #failure(error: unknown, tool: string, connection: Connection): Promise<SingletreeError> {
    if (this.#closing.signal.aborted) return this.#error(`was closed while it worked on "${tool}".`, '');
    if (isTimeout(error))
      return this.#error(
        `gave no answer to "${tool}" for ${this.#options.callTimeoutMs} ms, and the call was cancelled.`,
        'What it did is unknown; ask for less, or allow more time with callTimeoutMs.',
      );
    if (!isConnectionLost(error)) return this.#error(`failed on "${tool}": ${problemIn(error, this.#server)}.`, '');
    await ('command' in this.#server ? connection.close() : connection.retire());
    return this.#down(
      `was lost while it worked on "${tool}": ${connection.end ?? `${problemIn(error, this.#server)}.`}`,
      'What the call did is unknown. The next call connects to the server again.',
    );
  }

  /** Like `#error`, and sets the status. */
  #down(what: string, toDo: string): SingletreeError {
    this.#problem = this.#hide(what);
    return this.#error(what, toDo);
  }

  #error(what: string, toDo: string): SingletreeError {
    const message = this.#hide(`The MCP server "${this.name}" ${what} ${toDo}`.trim());
    return new SingletreeError('server_unreachable', message, { details: { server: this.name } });
  }
}

/** The tool ran and reported a failure. */
class ToolFailure extends Error {}

function toReport({ progress, total, message }: Progress): Record<string, unknown> {
  return { progress, ...defined({ total }), ...defined({ message }) };
}
