import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import {
  client,
  type ClientCapabilities,
  type ClientConnection,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type InitializeResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';
import { AcpLines } from '../support/acp-schema.ts';
import { bareEnvironment } from '../support/bare-environment.ts';

export const command: string = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface EditorOptions {
  readonly home: string;
  readonly cwd: string;
  /** What follows `singletree acp`. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: ClientCapabilities;
  /** Answers a permission request; pending for as long as its promise is. */
  readonly permission?: (
    request: RequestPermissionRequest,
    signal: AbortSignal,
  ) => Promise<RequestPermissionResponse> | RequestPermissionResponse;
  readonly form?: (request: CreateElicitationRequest) => Promise<CreateElicitationResponse> | CreateElicitationResponse;
}

/** An editor: the client of the protocol's library, with `singletree acp` as its agent. */
export class Editor {
  readonly child: ChildProcess;
  /** Every line of the agent, checked against the published schema. */
  readonly lines: AcpLines = new AcpLines();
  readonly updates: SessionUpdate[] = [];
  readonly permissions: RequestPermissionRequest[] = [];
  readonly forms: CreateElicitationRequest[] = [];
  /** The ids of requests that the agent withdrew. */
  readonly withdrawn: string[] = [];
  readonly #connection: ClientConnection;
  readonly #exited: Promise<unknown[]>;
  readonly #options: EditorOptions;
  stderr = '';

  constructor(options: EditorOptions) {
    this.#options = options;
    this.child = spawn(process.execPath, [command, 'acp', ...(options.args ?? [])], {
      cwd: options.cwd,
      env: { ...bareEnvironment(), SINGLETREE_HOME: options.home, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#exited = once(this.child, 'exit');
    this.child.stderr?.on('data', (text: Buffer) => (this.stderr += String(text)));
    this.child.stdin?.on('error', () => {});
    this.#connection = this.#connect();
  }

  static async open(options: EditorOptions): Promise<Editor & { readonly initialized: InitializeResponse }> {
    const editor = new Editor(options);
    const initialized = await editor.request<InitializeResponse>('initialize', {
      protocolVersion: 1,
      clientCapabilities: options.capabilities ?? {},
      clientInfo: { name: 'test-editor', version: '1.0.0' },
    });
    return Object.assign(editor, { initialized });
  }

  request<Result>(
    method: string,
    params: unknown,
    options: { cancellationSignal?: AbortSignal } = {},
  ): Promise<Result> {
    return this.#connection.agent.request<Result>(method, params, options);
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#connection.agent.notify(method, params);
  }

  async newSession(cwd: string = this.#options.cwd, mcpServers: readonly unknown[] = []): Promise<string> {
    return (await this.request<{ sessionId: string }>('session/new', { cwd, mcpServers })).sessionId;
  }

  prompt(sessionId: string, text: string): Promise<{ stopReason: string }> {
    return this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  /** Writes a line that the library would not. */
  write(line: string): void {
    this.child.stdin?.write(`${line}\n`);
  }

  /** The text of all chunks of a kind. */
  text(kind: 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk'): string {
    return this.updates
      .map(update => (update.sessionUpdate === kind && update.content.type === 'text' ? update.content.text : ''))
      .join('');
  }

  kinds(): string[] {
    return this.updates.map(({ sessionUpdate }) => sessionUpdate);
  }

  /** Closes standard input, as an editor that quits; returns the exit code. */
  async close(): Promise<number | null> {
    this.child.stdin?.end();
    return (await this.#exited)[0] as number | null;
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.#exited;
  }

  #connect(): ClientConnection {
    const { permission, form } = this.#options;
    const lines = createInterface({ input: this.child.stdout as NodeJS.ReadableStream });
    const readable = new ReadableStream({
      start: controller => {
        lines.on('line', line => {
          this.lines.received(line);
          const message = this.lines.lines.at(-1);
          if (message?.['method'] === '$/cancel_request')
            this.withdrawn.push(String((message['params'] as { requestId: unknown }).requestId));
          try {
            controller.enqueue(JSON.parse(line));
          } catch {
            // The check of the lines has reported it.
          }
        });
        lines.on('close', () => controller.close());
      },
    });
    const writable = new WritableStream({
      write: (message: { readonly id?: unknown; readonly method?: unknown }) => {
        this.lines.sent(message);
        this.write(JSON.stringify(message));
      },
    });
    return client({ name: 'test-editor' })
      .onNotification('session/update', ({ params }) => void this.updates.push(params.update))
      .onRequest('session/request_permission', ({ params, signal }) => {
        this.permissions.push(params);
        return permission?.(params, signal) ?? { outcome: { outcome: 'cancelled' } };
      })
      .onRequest('elicitation/create', ({ params }) => {
        this.forms.push(params);
        return form?.(params) ?? { action: 'cancel' };
      })
      .connect({ readable, writable });
  }
}

/** The answer of a person who takes an option of a permission request. */
export const select = (optionId: string): RequestPermissionResponse => ({ outcome: { outcome: 'selected', optionId } });
