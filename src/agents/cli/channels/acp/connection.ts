import { errorText, SingletreeError } from '../../../../events/index.ts';
import { recordOf, type WireRecord } from '../../shared/wire-value.ts';
import type * as Library from './acp-library.ts';
import { defined } from '../../../../events/defined.ts';

/** The answer to one of our requests. */
export type AcpAnswer =
  | { readonly result: WireRecord; readonly error?: undefined }
  | { readonly error: { readonly code: number; readonly message: string; readonly data?: unknown } };

/** A request of the program; it is answered once, later answers do nothing. */
export interface AcpRequest {
  readonly method: string;
  readonly params: unknown;
  /** The whole message, for `unknown` events. */
  readonly raw: WireRecord;
  /** Aborts when the program withdraws it. */
  readonly signal: AbortSignal;
  respond(result: unknown): void;
  refuse(code: number, message: string): void;
}

/** Receives the messages of the program one after the other, in their order. */
export interface AcpListener {
  notification(method: string, params: unknown, raw: WireRecord): void;
  request(request: AcpRequest): void;
  /** A line that is no message of the protocol, or an answer to nothing. */
  unknown(raw: unknown): void;
  /** The library cannot be used. */
  failed(message: string): void;
}

interface Line {
  readonly value: unknown;
  readonly number: number;
}

type Id = string | number;

/**
 * A connection of the client library whose messages are delivered strictly in order. The library correlates requests
 * and answers of both sides, some time after a line has arrived: the next line waits for that. Notifications are
 * delivered without it, because it drops fields and kinds that are not in its schema.
 */
export class AcpConnection {
  readonly #listener: AcpListener;
  readonly #send: (message: string) => void;
  readonly #lines: Line[] = [];
  /** The ids of our open requests. */
  readonly #ours = new Set<unknown>();
  /** The ids of the program's open requests, with their messages. */
  readonly #theirs = new Map<Id, WireRecord>();
  #connection: Library.ClientConnection | undefined;
  #readable: ReadableStreamDefaultController | undefined;
  #isBusy = true;
  #isClosed = false;
  #line: number | undefined;
  #drained: (() => void) | undefined;

  constructor(send: (message: string) => void, listener: AcpListener) {
    this.#send = send;
    this.#listener = listener;
  }

  /** The number of the line that is being delivered. */
  get line(): number | undefined {
    return this.#line;
  }

  /** Loads the library, then calls back; lines that arrive before wait. */
  open(opened: () => void): void {
    import('./acp-library.ts').then(
      ({ client, RequestError }) => {
        if (this.#isClosed) return;
        this.#connect({ client, RequestError });
        opened();
        this.#isBusy = false;
        this.#deliver();
      },
      (error: unknown) =>
        this.#listener.failed(`The library of the Agent Client Protocol failed to load: ${errorText(error)}`),
    );
  }

  #connect({ client, RequestError }: Pick<typeof Library, 'client' | 'RequestError'>): void {
    const app = client({ name: 'singletree' }).onRequest('*', ({ method, params, requestId, signal }) => {
      const raw = this.#theirs.get(requestId as Id) ?? {};
      const answered = new Promise<unknown>((resolve, reject) => {
        const once = (settle: () => void) => {
          this.#theirs.delete(requestId as Id);
          settle();
        };
        this.#listener.request({
          method,
          params,
          raw,
          signal,
          respond: result => once(() => resolve(result)),
          refuse: (code, message) => once(() => reject(new RequestError(code, message))),
        });
      });
      this.#handled();
      return answered;
    });
    const readable = new ReadableStream({ start: controller => void (this.#readable = controller) });
    const writable = new WritableStream({ write: message => this.#write(message) });
    this.#connection = app.onNotification('*', () => this.#handled()).connect({ readable, writable });
  }

  #write(message: unknown): void {
    const record = recordOf(message);
    if (record !== undefined && 'method' in record && 'id' in record) this.#ours.add(record['id']);
    if (!this.#isClosed) this.#send(JSON.stringify(message));
  }

  /** Handles a line once all earlier ones are delivered. */
  receive(line: string, number: number): void {
    if (this.#isClosed || line.trim() === '') return;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      value = line;
    }
    this.#lines.push({ value, number });
    if (!this.#isBusy) this.#deliver();
  }

  /** Sends a request; `answered` is called in the order of the program's messages. */
  request(method: string, params: unknown, answered: (answer: AcpAnswer) => void): void {
    const settle = (answer: AcpAnswer) => {
      if (this.#isClosed) return;
      answered(answer);
      this.#handled();
    };
    this.#connection?.agent.request(method, params).then(
      result => settle({ result: recordOf(result) ?? {} }),
      (error: unknown) => settle({ error: errorOf(error) }),
    );
  }

  notify(method: string, params: unknown): void {
    void this.#connection?.agent.notify(method, params).catch(() => {});
  }

  /** Closes the connection after the lines that have arrived; no call of the listener follows. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    if (this.#isBusy && this.#connection !== undefined) await new Promise<void>(resolve => (this.#drained = resolve));
    this.#isClosed = true;
    this.#connection?.close(new SingletreeError('internal', 'The program has closed its output.'));
  }

  #handled(): void {
    this.#line = undefined;
    this.#isBusy = false;
    this.#deliver();
  }

  #deliver(): void {
    for (let next = this.#lines.shift(); next !== undefined; next = this.#lines.shift()) {
      this.#line = next.number;
      if (this.#pass(next.value)) {
        this.#isBusy = true;
        return;
      }
    }
    this.#line = undefined;
    this.#drained?.();
  }

  /** Delivers a message; returns whether the library has to handle it first. */
  #pass(value: unknown): boolean {
    const record = recordOf(value);
    const { method, id } = record ?? {};
    if (record === undefined || record['jsonrpc'] !== '2.0') this.#listener.unknown(value);
    else if (typeof method === 'string' && !('id' in record)) return this.#notification(method, record);
    else if (typeof method === 'string' && isId(id) && !this.#theirs.has(id)) {
      this.#theirs.set(id, record);
      return this.#enqueue(record);
    } else if (!('method' in record) && this.#ours.delete(id)) return this.#enqueue(record);
    else this.#listener.unknown(record);
    return false;
  }

  #notification(method: string, record: WireRecord): boolean {
    // The library aborts the signal of the request.
    if (method === '$/cancel_request') return this.#enqueue(record);
    this.#listener.notification(method, record['params'], record);
    return false;
  }

  #enqueue(record: WireRecord): boolean {
    this.#readable?.enqueue(record);
    return true;
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value));
}

function errorOf(error: unknown): { code: number; message: string; data?: unknown } {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  return {
    code: typeof code === 'number' ? code : -32_603,
    message: typeof message === 'string' ? message : String(error),
    ...defined({ data }),
  };
}
