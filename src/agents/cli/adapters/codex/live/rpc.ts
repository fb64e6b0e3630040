import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { defined } from '../../../../../events/defined.ts';

export type RpcId = string | number;

/** The answer to a call: its result, or the message of its error. */
export type RpcAnswer = { readonly result: WireRecord } | { readonly error: string };

/** A message of the program that is not an answer: a request has an id, a notification has none. */
export interface RpcMessage {
  readonly method: string;
  readonly id?: RpcId;
  readonly params: WireRecord;
  readonly record: WireRecord;
}

/** One side of a JSON-RPC connection without the `jsonrpc` key: numbers calls and pairs them with their answers. */
export class RpcConnection {
  readonly #send: (message: string) => void;
  readonly #calls = new Map<RpcId, (answer: RpcAnswer) => void>();
  #last = 0;

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  call(method: string, params: object, done: (answer: RpcAnswer) => void): void {
    const id = ++this.#last;
    this.#calls.set(id, done);
    this.#write({ method, id, params });
  }

  notify(method: string): void {
    this.#write({ method });
  }

  respond(id: RpcId, result: object): void {
    this.#write({ id, result });
  }

  refuse(id: RpcId, code: number, message: string): void {
    this.#write({ id, error: { code, message } });
  }

  /** Returns the message of a record; `answer` when it answered an open call, undefined when it is neither. */
  read(record: WireRecord): RpcMessage | 'answer' | undefined {
    const method = textOf(record['method']);
    const id = idOf(record['id']);
    const params = recordOf(record['params']);
    if (method !== undefined) {
      if (params === undefined && record['params'] !== undefined && record['params'] !== null) return undefined;
      if (id === undefined && record['id'] !== undefined) return undefined;
      return { method, params: params ?? {}, record, ...defined({ id }) };
    }
    const done = id === undefined ? undefined : this.#calls.get(id);
    const result = recordOf(record['result']);
    if (id === undefined || done === undefined || (result === undefined && record['error'] === undefined))
      return undefined;
    this.#calls.delete(id);
    done(result === undefined ? { error: errorOf(record['error']) } : { result });
    return 'answer';
  }

  #write(message: object): void {
    this.#send(JSON.stringify(message));
  }
}

/** Returns the id of the request that a notification reports as closed; undefined when it is another message. */
export function resolvedId({ method, params }: RpcMessage): RpcId | undefined {
  return method === 'serverRequest/resolved' ? idOf(params['requestId']) : undefined;
}

function idOf(value: unknown): RpcId | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Returns the message of the error of an answer. */
export function errorOf(error: unknown): string {
  return textOf(recordOf(error)?.['message']) ?? JSON.stringify(error);
}
