import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LoggedEvent } from '../../src/events/index.ts';

/** A request that a receiver accepted. */
export interface AcceptedHook {
  readonly key: string;
  readonly threadId: string;
  readonly resourceId: string;
  readonly event: LoggedEvent;
}

/** A receiver of webhooks on a port of the loopback interface, which checks every signature. */
export class HookReceiver {
  readonly secret = 'a-secret-of-tests-only';
  readonly accepted: AcceptedHook[] = [];
  /** The keys of all requests, also of those that were not accepted. */
  readonly keys: string[] = [];
  /** Answers a request instead of accepting it; returns false to accept it. */
  respond: (response: ServerResponse, key: string) => boolean = () => false;
  /** The largest number of requests that were under way at once. */
  mostAtOnce = 0;
  #atOnce = 0;
  #server: Server | undefined;
  port = 0;

  get host(): string {
    return `127.0.0.1:${this.port}`;
  }

  async listen(): Promise<this> {
    const server = createServer((request, response) => {
      this.#atOnce++;
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#atOnce);
      response.once('close', () => this.#atOnce--);
      void text(request).then(body => {
        const { 'idempotency-key': key, 'singletree-signature': signature } = request.headers;
        const [, seconds, hash] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(signature)) ?? [];
        const expected = createHmac('sha256', this.secret).update(`${seconds}.${body}`).digest('hex');
        this.keys.push(String(key));
        if (hash !== expected) {
          response.writeHead(401).end();
          return;
        }
        if (this.respond(response, String(key))) return;
        this.accepted.push({ key: String(key), ...(JSON.parse(body) as Omit<AcceptedHook, 'key'>) });
        response.writeHead(204).end();
      });
    });
    server.listen(this.port, '127.0.0.1');
    await once(server, 'listening');
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
    return this;
  }

  /** Ends it as if its process had died; `listen` starts it again on the same port. */
  async die(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    server?.closeAllConnections();
    await new Promise<void>(resolve => (server === undefined ? resolve() : server.close(() => resolve())));
  }

  /** The seqs of a thread in the order in which they were first accepted. */
  seqsOf(threadId: string): number[] {
    return [...new Set(this.accepted.flatMap(hook => (hook.threadId === threadId ? [hook.event.seq] : [])))];
  }
}
