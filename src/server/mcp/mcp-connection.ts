import {
  type CallToolResult,
  type InputRequiredResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
  type ServerEvent,
} from '@modelcontextprotocol/server';
import type { RunHandle } from '../../control/supervision/run-control.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import type { Site } from '../site.ts';
import type { McpAccess } from './mcp-access.ts';
import type { CallingConnection, McpCall, ToolAnswer } from './mcp-call.ts';

/** The maximum number of concurrent calls of a connection. */
const mostCalls = 32;
/** The maximum number of active runs that a connection requested. */
const mostRuns = 8;

/** The state shared by the calls of one connection; over HTTP, each request gets a new server. */
export class McpConnection implements CallingConnection {
  readonly access: McpAccess;
  readonly #open: () => Promise<Site>;
  #announce: (site: Site) => void = () => {};
  readonly #firstOpened = new Promise<Site>(resolve => {
    this.#announce = resolve;
  });
  #opened: Promise<Site> | undefined;
  #calls = 0;
  #runs = 0;

  /** `open` is called by the first call that needs the log. */
  constructor(open: () => Promise<Site>, access: McpAccess) {
    this.#open = open;
    this.access = access;
  }

  /** Returns the site; after a failure the next call tries to open it again. */
  open(): Promise<Site> {
    return (this.#opened ??= this.#open().then(
      site => {
        this.#announce(site);
        return site;
      },
      (error: unknown) => {
        this.#opened = undefined;
        throw error;
      },
    ));
  }

  /** Reports changes of the threads that it sees, from the first call on that opens the log. Returns an unsubscribe function. */
  watch(listener: (event: ServerEvent) => void): () => void {
    let stop: (() => void) | undefined;
    let isStopped = false;
    void this.#firstOpened.then(async site => {
      const { watchThreads } = await import('./thread-changes.ts');
      if (!isStopped) stop = watchThreads(site, this.access, listener);
    });
    return () => {
      isStopped = true;
      stop?.();
    };
  }

  /** Answers a call of a tool; an error becomes its result. */
  async answer(
    server: McpServer,
    context: ServerContext,
    act: (call: McpCall) => Promise<ToolAnswer | InputRequiredResult>,
  ): Promise<CallToolResult | InputRequiredResult> {
    try {
      return await this.#act(server, context, async call => {
        const answer = await act(call);
        if (!isToolAnswer(answer)) return answer;
        const { value, links = [] } = answer;
        const text = call.site.redactor.json(JSON.stringify(value));
        const structuredContent = JSON.parse(text) as Record<string, unknown>;
        return { content: [{ type: 'text', text }, ...links], structuredContent };
      });
    } catch (error) {
      return { content: [{ type: 'text', text: await this.#describe(error) }], isError: true };
    }
  }

  /** Reads something for a caller; an error becomes one of the protocol. */
  async read<Result>(
    server: McpServer,
    context: ServerContext,
    act: (call: McpCall) => Promise<Result>,
  ): Promise<Result> {
    try {
      return await this.#act(server, context, act);
    } catch (error) {
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, await this.#describe(error));
    }
  }

  async startRun(start: () => Promise<RunHandle>): Promise<RunHandle> {
    if (this.#runs >= mostRuns)
      throw new SingletreeError(
        'too_many_calls',
        `${mostRuns} runs are under way. Wait for one with run_wait, or stop one.`,
      );
    this.#runs++;
    try {
      const run = await start();
      void run.done.finally(() => this.#runs--);
      return run;
    } catch (error) {
      this.#runs--;
      throw error;
    }
  }

  /** Runs an operation for a call; rejects with `too_many_calls` at the limit of concurrent calls. */
  async #act<Result>(
    server: McpServer,
    context: ServerContext,
    act: (call: McpCall) => Promise<Result>,
  ): Promise<Result> {
    if (this.#calls >= mostCalls)
      throw new SingletreeError(
        'too_many_calls',
        `${mostCalls} calls are being answered. Wait for one, then try again.`,
      );
    this.#calls++;
    try {
      const site = await this.open();
      const { createCall } = await import('./mcp-call.ts');
      return await act(createCall(this, site, server, context));
    } finally {
      this.#calls--;
    }
  }

  /** Returns the text of an error for the caller; an unexpected error is reported and shown without details. */
  async #describe(failure: unknown): Promise<string> {
    const site = await this.open().catch(() => undefined);
    if (!SingletreeError.is(failure)) site?.reportFailure(failure);
    const { toProblem } = await import('../problem-response.ts');
    const { detail, code } = toProblem(failure);
    const text = `${detail} (${code})`;
    return site?.redactor.text(text) ?? text;
  }
}

function isToolAnswer(answer: ToolAnswer | InputRequiredResult): answer is ToolAnswer {
  return 'value' in answer;
}
