import { existsSync } from 'node:fs';
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { environmentFor } from '../process/environment.ts';
import { lineText } from '../process/line-reader.ts';
import { type ProcessExit, ProcessRun } from '../process/run-process.ts';
import type { McpProgram } from '../contract/mcp-server.ts';
import { RecentOutput } from './recent-output.ts';

/** The time for a server to end after its input is closed, and the delay between the stop signals. */
const graceMs = 1_000;

/** Runs a server in its own process group and exchanges lines with it; closing ends the whole group. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: McpProgram;
  readonly #stderr = new RecentOutput();
  #run: ProcessRun | undefined;
  #gone: Promise<void> = Promise.resolve();
  #end: string | undefined;
  #closing: Promise<void> | undefined;

  constructor(server: McpProgram) {
    this.#server = server;
  }

  /** The exit of the server in words, with its last output; undefined while it is running. */
  get end(): string | undefined {
    if (this.#end === undefined) return undefined;
    return `${this.#end}.${this.lastWords}`;
  }

  /** The last stderr output, as a sentence to append. */
  get lastWords(): string {
    const lines = this.#stderr.lastLines();
    return lines.length === 0 ? '' : ` Its stderr ends with: "${lines.join(' | ')}".`;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd = process.cwd() } = this.#server;
    const surroundings = environmentFor(process.env, { set: env });
    this.#run = new ProcessRun({ command, args, cwd, env: surroundings, isInteractive: true, stopStepMs: graceMs });
    this.#gone = this.#read(this.#run);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#run?.send(serializeMessage(message));
    } catch (error) {
      void this.#run?.dispose();
      throw error;
    }
  }

  /** Stops the server, by force after a time limit, and waits until it has ended; never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    this.#run?.endInput();
    const timer = setTimeout(() => void this.#run?.dispose(), graceMs);
    await this.#gone;
    clearTimeout(timer);
  }

  async #read(run: ProcessRun): Promise<void> {
    for (let line = await run.next(); line !== undefined; line = await run.next()) {
      if (line.stream === 'stderr') this.#stderr.add(line.bytes);
      else if (line.kind === 'line') this.#deliver(lineText(line.bytes));
      else {
        this.#end ??= 'it sent a message that is too long to hold';
        void run.dispose();
      }
    }
    this.#end ??= this.#describe(await run.exit);
    this.onclose?.();
  }

  /** Delivers one message; ignores a line that is not a message, because some programs also print other output. */
  #deliver(line: string): void {
    try {
      this.onmessage?.(deserializeMessage(line));
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  #describe({ failedToStart, exitCode, signal }: ProcessExit): string {
    const { command, cwd } = this.#server;
    if (failedToStart === undefined)
      return exitCode == null ? `it was ended by ${signal}` : `it exited with code ${exitCode}`;
    if (cwd !== undefined && !existsSync(cwd)) return `its folder "${cwd}" does not exist`;
    const { code, message } = failedToStart;
    if (code === 'ENOENT') return `its program "${command}" was not found: install it or give its full path`;
    if (code === 'EACCES') return `its program "${command}" may not be executed`;
    return `its program "${command}" could not be started: ${message}`;
  }
}
