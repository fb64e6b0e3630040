import { Agent, type IncomingMessage, request } from 'node:http';
import type { ServeRequest, ServeResponse } from '../contract/serve-message.ts';
import { parseJson } from '../../../base/parse-json.ts';

/** How a local server is reached. */
export interface ServeAddress {
  readonly url: string;
  readonly authorization: string;
}

/** The time that a request may take. */
const requestMs = 60_000;

/** Sends requests to a local server in order, each after the response to the one before, and reads responses as a whole. */
export class ServeRequests {
  readonly #address: ServeAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  /** For requests that last a turn. */
  readonly #turnAgent = new Agent();
  #last: Promise<unknown> = Promise.resolve();

  constructor(address: ServeAddress) {
    this.#address = address;
  }

  /** Resolves with the response, with the status 0 when there is none; never rejects. */
  send(message: ServeRequest): Promise<ServeResponse> {
    const response = this.#last.then(() => this.#request(message));
    if (message.lastsTurn !== true) this.#last = response;
    return response;
  }

  close(): void {
    this.#agent.destroy();
    this.#turnAgent.destroy();
  }

  #request({ id, method, path, body, lastsTurn = false }: ServeRequest): Promise<ServeResponse> {
    const { url, authorization } = this.#address;
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise(resolve => {
      const fail = (error: Error) => resolve({ id, status: 0, body: error.message });
      const headers = { authorization, ...(content !== undefined && { 'content-type': 'application/json' }) };
      const connection = lastsTurn
        ? { agent: this.#turnAgent }
        : { agent: this.#agent, signal: AbortSignal.timeout(requestMs) };
      const sent = request(new URL(path, url), { method, headers, ...connection }, response => {
        readBody(response).then(
          text => resolve({ id, status: response.statusCode ?? 0, body: parseJson(text, text) }),
          fail,
        );
      });
      sent.on('error', fail);
      sent.end(content);
    });
  }
}

async function readBody(response: IncomingMessage): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString('utf8');
}
