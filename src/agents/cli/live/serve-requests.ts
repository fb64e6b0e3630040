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

/** Sends requests to a local server, one after the other, and reads every response as a whole. */
export class ServeRequests {
  readonly #address: ServeAddress;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #last: Promise<unknown> = Promise.resolve();

  constructor(address: ServeAddress) {
    this.#address = address;
  }

  /** Resolves with the response, with the status 0 when there is none; never rejects. */
  send(message: ServeRequest): Promise<ServeResponse> {
    const response = this.#last.then(() => this.#request(message));
    this.#last = response;
    return response;
  }

  close(): void {
    this.#agent.destroy();
  }

  #request({ id, method, path, body }: ServeRequest): Promise<ServeResponse> {
    const { url, authorization } = this.#address;
    const content = body === undefined ? undefined : JSON.stringify(body);
    return new Promise(resolve => {
      const fail = (error: Error) => resolve({ id, status: 0, body: error.message });
      const headers = { authorization, ...(content !== undefined && { 'content-type': 'application/json' }) };
      const signal = AbortSignal.timeout(requestMs);
      const sent = request(new URL(path, url), { method, headers, agent: this.#agent, signal }, response => {
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
