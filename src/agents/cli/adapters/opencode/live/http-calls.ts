import { PendingCalls } from '../../../channels/pending-calls.ts';
import type { ServeRequest, ServeResponse } from '../../../contract/serve-message.ts';

/** The methods by which a turn sends requests to the server. */
export type HttpRequests = Pick<HttpCalls, 'get' | 'post' | 'postTurn'>;

/** The requests to the server of a session, with the handlers of their responses. */
export class HttpCalls {
  readonly #send: (message: string) => void;
  readonly #open = new PendingCalls<ServeResponse>();

  constructor(send: (message: string) => void) {
    this.#send = send;
  }

  get(path: string, onResponse: (response: ServeResponse) => void): void {
    this.#call({ method: 'GET', path }, onResponse);
  }

  post(path: string, body: unknown, onResponse: (response: ServeResponse) => void = () => {}): void {
    this.#call({ method: 'POST', path, body }, onResponse);
  }

  /** Sends a request whose response comes when its turn has ended. */
  postTurn(path: string, body: unknown, onResponse: (response: ServeResponse) => void): void {
    this.#call({ method: 'POST', path, body, lastsTurn: true }, onResponse);
  }

  /** Hands a response to its request; returns false when no request waits for it. */
  settle(response: ServeResponse): boolean {
    return this.#open.settle(response.id, response);
  }

  #call(request: Omit<ServeRequest, 'id'>, onResponse: (response: ServeResponse) => void): void {
    this.#send(JSON.stringify({ id: this.#open.add(onResponse), ...request }));
  }
}

/** Whether a request succeeded. */
export function isDone({ status }: ServeResponse): boolean {
  return status >= 200 && status < 300;
}

/** Returns a readable description of a failed request. */
export function responseProblem({ status, body }: ServeResponse): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body ?? '');
  return status === 0 ? `no answer (${text})` : `HTTP ${status}: ${text.slice(0, 500)}`;
}
