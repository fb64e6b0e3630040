import { toRecord, toText, type WireRecord } from '../shared/wire-value.ts';
import { defined } from '../../../base/defined.ts';
import { PendingCalls } from './pending-calls.ts';

export type RpcId = string | number;

export interface RpcError {
  readonly message: string;
  readonly data?: unknown;
}

/** The answer to a call. */
export type RpcAnswer =
  | { readonly result: WireRecord; readonly error?: undefined }
  | { readonly error: RpcError; readonly result?: undefined };

/** A message of the program that is not an answer: a request has an id, a notification has none. */
export interface RpcMessage {
  readonly method: string;
  readonly id?: RpcId;
  readonly params: WireRecord;
  readonly record: WireRecord;
}

/** One side of a JSON-RPC connection: numbers calls and pairs them with their answers. */
export class RpcConnection {
  readonly #send: (message: string) => void;
  /** The keys that every message begins with. */
  readonly #envelope: object;
  readonly #calls = new PendingCalls<RpcAnswer>();

  constructor(send: (message: string) => void, envelope: object = {}) {
    this.#send = send;
    this.#envelope = envelope;
  }

  call(method: string, params: object, done: (answer: RpcAnswer) => void): void {
    this.#write({ method, id: this.#calls.add(done), params });
  }

  notify(method: string, params?: object): void {
    this.#write({ method, ...defined({ params }) });
  }

  respond(id: RpcId, result: object): void {
    this.#write({ id, result });
  }

  refuse(id: RpcId, code: number, message: string): void {
    this.#write({ id, error: { code, message } });
  }

  /** Returns the message of a record; `answer` when it answered an open call, undefined when it is neither. */
  read(record: WireRecord): RpcMessage | 'answer' | undefined {
    const method = toText(record['method']);
    const id = toRpcId(record['id']);
    const params = toRecord(record['params']);
    if (method !== undefined) {
      if (params === undefined && record['params'] !== undefined && record['params'] !== null) return undefined;
      if (id === undefined && record['id'] !== undefined) return undefined;
      return { method, params: params ?? {}, record, ...defined({ id }) };
    }
    const error = record['error'];
    if (error === undefined && !('result' in record)) return undefined;
    const answer = error === undefined ? { result: toRecord(record['result']) ?? {} } : { error: readRpcError(error) };
    return this.#calls.settle(id, answer) ? 'answer' : undefined;
  }

  #write(message: object): void {
    this.#send(JSON.stringify({ ...this.#envelope, ...message }));
  }
}

/** Returns a value that can be the id of a request. */
export function toRpcId(value: unknown): RpcId | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}

/** Reads the error of a response; an error without a message is shown unchanged. */
export function readRpcError(error: unknown): RpcError {
  const { message, data } = toRecord(error) ?? {};
  return { message: toText(message) ?? JSON.stringify(error), ...defined({ data }) };
}
