import { existsSync } from 'node:fs';
import type { Writable } from 'node:stream';
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { environmentFor } from '../process/environment.ts';
import { type GuardedProcess, startGuarded } from '../process/guarded-process.ts';
import { signalGroup, stopGroup } from '../process/process-group.ts';
import type { McpProgram } from './mcp-server.ts';
import { RecentOutput } from './recent-output.ts';

/** How long a server may take to end by itself once its input is closed, and each step of making it end. */
const graceMs = 1_000;
/** How long output may still come after the server is gone, when something it started holds its streams. */
const drainMs = 1_000;

/** Runs a server in a process group of its own and speaks to it in lines; when it is closed, nothing of the group is left. */
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

  /** How it ended, in words, with what it said last; undefined while it runs. */
  get end(): string | undefined {
    if (this.#end === undefined) return undefined;
    return `${this.#end}.${this.lastWords}`;
  }

  /** What it printed last to its stderr, as a sentence that can be added to another. */
  get lastWords(): string {
    const lines = this.#stderr.lastLines();
    return lines.length === 0 ? '' : ` Its stderr ends with: "${lines.join(' | ')}".`;
  }

  async start(): Promise<void> {
    const { command, args = [], env, cwd } = this.#server;
    const child = startGuarded({
      command,
      args,
      env: environmentFor(process.env, [], env),
      stdin: 'pipe',
      ...(cwd !== undefined && { cwd }),
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

  /** Ends the server, by force when it takes too long, and waits until it is gone; never rejects. */
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
      this.#end ??= 'it sent a message that is too long to hold';
      this.#kill();
      return;
    }
    for (let more = true; more; ) more = this.#deliver();
  }

  /** Delivers one message; a line that is no message is passed over, for programs that print other things too. */
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
