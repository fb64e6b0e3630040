import { createRequire } from 'node:module';
import { join } from 'node:path';
import { installPeers, type PeerPackages, peersReady } from './peer-packages.ts';

/** The real clients of AG-UI, and CopilotKit. */
export const agUiPeers: PeerPackages = {
  folder: 'ag-ui-1.0.0-copilotkit-1.75.0',
  packages: [
    '@ag-ui/client@1.0.0',
    '@ag-ui/core@1.0.0',
    'agui59@npm:@ag-ui/client@0.0.59',
    'core59@npm:@ag-ui/core@0.0.59',
    '@copilotkit/core@1.75.0',
    'rxjs@7.8.1',
  ],
};

/** Whether the AG-UI clients are installed, or may be. */
export function agUiClientsReady(skipped: string): boolean {
  return peersReady(skipped, agUiPeers);
}

export interface WireEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** A message as a client keeps it. */
export interface ClientMessage {
  readonly id: string;
  readonly role: string;
  readonly content?: unknown;
  readonly toolCallId?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function: { name: string; arguments: string } }[];
  readonly metadata?: { readonly singletree?: Readonly<Record<string, unknown>> };
}

/** The text of a message; its parts as JSON when it has some. */
export function textIn({ content = '' }: ClientMessage): string {
  return typeof content === 'string' ? content : JSON.stringify(content);
}

export interface ClientInterrupt {
  readonly id: string;
  readonly reason: string;
  readonly message: string;
  readonly toolCallId?: string;
  readonly responseSchema: { readonly required?: readonly string[] };
}

export interface Resume {
  readonly interruptId: string;
  readonly status: 'resolved' | 'cancelled';
  readonly payload?: unknown;
}

interface RunParameters {
  readonly runId?: string;
  readonly tools?: readonly unknown[];
  readonly context?: readonly unknown[];
  readonly resume?: readonly Resume[];
}

/** What tests use of `HttpAgent`, which both versions have. */
export interface HttpAgent {
  agentId?: string;
  threadId: string;
  messages: ClientMessage[];
  readonly state: Readonly<Record<string, unknown>>;
  pendingInterrupts: ClientInterrupt[];
  addMessage(message: ClientMessage): void;
  setMessages(messages: readonly ClientMessage[]): void;
  runAgent(
    parameters?: RunParameters,
    subscriber?: { onEvent?(params: { event: WireEvent }): void },
  ): Promise<{ result: unknown; newMessages: ClientMessage[] }>;
  connectAgent(parameters?: RunParameters): Promise<unknown>;
  abortRun(): void;
}

interface Observable {
  pipe(...operators: unknown[]): Observable;
}

interface ClientModule {
  readonly HttpAgent: new (options: Readonly<Record<string, unknown>>) => HttpAgent;
  verifyEvents(debug?: boolean): unknown;
  defaultApplyEvents(input: unknown, events: unknown, agent: unknown, subscribers: readonly unknown[]): Observable;
}

/** One version of the real client. */
export interface AgUiClient {
  readonly version: '1.0' | '0.0';
  /** Opens the client at the URL of the server, for one agent of it. */
  open(options: {
    readonly url: string;
    readonly agentId: string;
    readonly threadId?: string;
    readonly token?: string;
    /** What it calls: `connect` reads the messages and follows the run. */
    readonly verb?: 'run' | 'connect';
    readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
  }): HttpAgent;
  /** Checks events with the schemas and the verifier of the client; returns the messages it makes of them. */
  readonly fold: (events: readonly WireEvent[]) => Promise<{ readonly messages: readonly ClientMessage[] }>;
}

interface Core {
  readonly agents: Readonly<Record<string, HttpAgent>>;
  readonly runtimeConnectionStatus: string;
  subscribe(subscriber: Readonly<Record<string, unknown>>): unknown;
  setRuntimeUrl(url: string): void;
  getAgent(id: string): HttpAgent | undefined;
  runAgent(options: { agent: HttpAgent; resume?: readonly Resume[] }): Promise<{ newMessages: ClientMessage[] }>;
  connectAgent(options: { agent: HttpAgent }): Promise<unknown>;
  stopAgent(options: { agent: HttpAgent }): void;
}

export interface AgUiPeers {
  readonly clients: readonly AgUiClient[];
  /** Where they are installed. */
  readonly folder: string;
  readonly CopilotKitCore: new (options: Readonly<Record<string, unknown>>) => Core;
}

/** Loads the real clients, and installs them first when they are missing. */
export async function loadAgUiPeers(): Promise<AgUiPeers> {
  const folder = await installPeers(agUiPeers);
  const load = createRequire(join(folder, 'peers.cjs'));
  const rxjs = load('rxjs') as {
    from(values: unknown): Observable;
    lastValueFrom(values: Observable, options: { defaultValue: unknown }): Promise<unknown>;
    tap(listener: (value: unknown) => void): unknown;
  };
  const clientOf = (version: '1.0' | '0.0', client: string, core: string): AgUiClient => {
    const module = load(client) as ClientModule;
    const { EventSchemas } = load(core) as { readonly EventSchemas: { parse(event: unknown): unknown } };
    return {
      version,
      open: ({ url, agentId, token, verb = 'run', ...rest }) =>
        new module.HttpAgent({
          url: `${url}/api/ag-ui/agent/${agentId}/${verb}`,
          ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
          ...rest,
        }),
      fold: async events => {
        const wire = events.map(event => EventSchemas.parse(JSON.parse(JSON.stringify(event))));
        const folded: { messages: readonly ClientMessage[] } = { messages: [] };
        const verified = rxjs.from(wire).pipe(module.verifyEvents(false));
        const applied = module.defaultApplyEvents({ state: {} }, verified, { messages: [], state: {} }, []);
        const take = rxjs.tap(change => Object.assign(folded, change));
        await rxjs.lastValueFrom(applied.pipe(take), { defaultValue: undefined });
        return folded;
      },
    };
  };
  const { CopilotKitCore } = load('@copilotkit/core') as Pick<AgUiPeers, 'CopilotKitCore'>;
  return {
    clients: [clientOf('1.0', '@ag-ui/client', '@ag-ui/core/schemas'), clientOf('0.0', 'agui59', 'core59')],
    CopilotKitCore,
    folder,
  };
}
