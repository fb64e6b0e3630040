import { defined } from '../../events/defined.ts';
import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { environmentFor } from '../process/environment.ts';
import { type GuardedProcess, startGuarded } from '../process/guarded-process.ts';
import { signalGroup, stopGroup } from '../process/process-group.ts';
import type { McpProgram } from './mcp-server.ts';
import { RecentOutput } from './recent-output.ts';

/** The time for a server to end after its input is closed, and the delay between the stop signals. */
const graceMs = 1_000;
/** The time for further output after the server has exited, while another process holds its streams. */
const drainMs = 1_000;

/** Runs a server in its own process group and exchanges lines with it; closing ends the whole group. */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #server: McpProgram;
  readonly #received = new ReadBuffer();
  readonly #stderr = new RecentOutput();
  #child: GuardedProcess | undefined;
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
    const { command, args = [], env, cwd } = this.#server;
    const child = startGuarded({
      command,
      args,
      env: environmentFor(process.env, { set: env }),
      stdin: 'pipe',
      ...defined({ cwd }),
    });
    this.#child = child;
    child.stdin?.on('error', () => this.#kill());
    child.stdout.on('error', () => {});
    child.stdout.on('data', (bytes: Buffer) => this.#receive(bytes));
    child.stderr.on('error', () => {});
    child.stderr.on('data', (bytes: Buffer) => this.#stderr.add(bytes));
    this.#gone = new Promise(resolve => {
      child.once('close', () => resolve(this.#ended()));
      child.on('error', error => resolve(this.#failed(error)));
    });
    child.once('exit', (code, signal) => this.#exited(code, signal));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    return new Promise((resolve, reject) => {
      const stdin = this.#child?.stdin as Writable;
      stdin.write(serializeMessage(message), error => (error ? reject(error) : resolve()));
    });
  }

  /** Stops the server, by force after a time limit, and waits until it has ended; never rejects. */
  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child === undefined || this.#end !== undefined) return this.#gone;
    child.stdin?.end();
    let callOff: (() => void) | undefined;
    const timer = setTimeout(() => (callOff = stopGroup(child, graceMs)), graceMs);
    await this.#gone;
    clearTimeout(timer);
    callOff?.();
  }

  #receive(bytes: Buffer): void {
    try {
      this.#received.append(bytes);
    } catch {
      // No buffer may be that long.
      this.#end ??= 'it sent a message that is too long to hold';
      this.#kill();
      return;
    }
    for (let more = true; more; ) more = this.#deliver();
  }

  /** Delivers one message; ignores a line that is not a message, because some programs also print other output. */
  #deliver(): boolean {
    try {
      const message = this.#received.readMessage();
      if (message !== null) this.onmessage?.(message);
      return message !== null;
    } catch (error) {
      this.onerror?.(error as Error);
      return true;
    }
  }

  #exited(code: number | null, signal: NodeJS.Signals | null): void {
    const child = this.#child as GuardedProcess;
    this.#end ??= code === null ? `it was ended by ${signal}` : `it exited with code ${code}`;
    signalGroup(child, 'SIGTERM');
    const drained = setTimeout(() => {
      this.#kill();
      for (const stream of [child.stdout, child.stderr]) stream.destroy();
    }, drainMs);
    child.once('close', () => clearTimeout(drained));
  }

  #ended(): void {
    this.#received.clear();
    this.onclose?.();
  }

  #failed({ code, message }: NodeJS.ErrnoException): void {
    const { command, cwd } = this.#server;
    if (cwd !== undefined && !existsSync(cwd)) this.#end = `its folder "${cwd}" does not exist`;
    else if (code === 'ENOENT') this.#end = `its program "${command}" was not found: install it or give its full path`;
    else if (code === 'EACCES') this.#end = `its program "${command}" may not be executed`;
    else this.#end = `its program "${command}" could not be started: ${message}`;
    this.onclose?.();
  }

  #kill(): void {
    if (this.#child !== undefined) signalGroup(this.#child, 'SIGKILL');
  }
}
