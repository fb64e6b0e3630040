import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { type Client, createClient } from '../../src/client/index.ts';
import { type LoggedEvent, newId, SingletreeError } from '../../src/events/index.ts';
import type { FaultCluster } from '../support/fault-cluster.ts';
import { FaultProxy } from '../support/fault-proxy.ts';

const requestMs = 8_000;

/** A thread as one person uses it: what was sent and acknowledged, and what its reader saw. */
export interface Conversation {
  readonly id: string;
  /** The messages that were acknowledged, in order. */
  readonly sent: string[];
  /** The runs that they started at once; a message that waits for a run is not among them. */
  readonly started: string[];
  /** What a reader of its stream has received. */
  readonly events: LoggedEvent[];
}

/** People who use the servers of a cluster while faults happen: they repeat what failed, at another server. */
export class Team {
  readonly conversations: Conversation[] = [];
  /** The relays whose answer was acknowledged, with their threads. */
  readonly answered: { readonly threadId: string; readonly relayId: string }[] = [];
  /** How often messages were sent, repetitions included. */
  requests = 0;
  readonly #cluster: FaultCluster;
  readonly #random: () => number;
  readonly #stop = new AbortController();
  readonly #work: Promise<void>[] = [];
  readonly #balancer: FaultProxy;
  #turn = 0;

  private constructor(cluster: FaultCluster, random: () => number, balancer: FaultProxy) {
    this.#cluster = cluster;
    this.#random = random;
    this.#balancer = balancer;
    setMaxListeners(0, this.#stop.signal);
  }

  static async join(cluster: FaultCluster, random: () => number): Promise<Team> {
    let turn = 0;
    const next = () => {
      const up = cluster.servers.filter(({ isRunning, isPaused }) => isRunning && !isPaused);
      return (up[turn++ % Math.max(1, up.length)] ?? cluster.servers[0])?.url ?? '';
    };
    return new Team(cluster, random, await FaultProxy.open(next));
  }

  /** Begins conversations, in which messages are sent as long as `goesOn`; resolves when all runs have ended. */
  async converse(count: number, goesOn: () => boolean): Promise<void> {
    this.#work.push(this.#answerRelays());
    await Promise.all(Array.from({ length: count }, () => this.#converse(goesOn)));
  }

  /** Resolves when every reader has as many events as are stored; then the team leaves. */
  async leave(stored: ReadonlyMap<string, readonly LoggedEvent[]>, timeoutMs: number): Promise<void> {
    const isBehind = ({ id, events }: Conversation) => events.length < (stored.get(id)?.length ?? 0);
    const until = performance.now() + timeoutMs;
    while (this.conversations.some(isBehind) && performance.now() < until) await delay(50);
    this.#stop.abort();
    await Promise.all(this.#work);
    await this.#balancer.close();
  }

  /** Repeats a request at one server after the other until it is answered; rejects when it is refused. */
  async ask<Result>(request: (client: Client) => Promise<Result>): Promise<Result> {
    for (;;)
      try {
        return await request(this.#client('token-of-ann'));
      } catch (error) {
        if (!isOutage(error)) throw error;
        await delay(100 + this.#random() * 300);
      }
  }

  async #converse(goesOn: () => boolean): Promise<void> {
    const { id } = await this.ask(client => client.createThread());
    const conversation: Conversation = { id, sent: [], started: [], events: [] };
    this.conversations.push(conversation);
    this.#work.push(this.#follow(conversation));
    do await this.#send(conversation);
    while (goesOn());
  }

  /** Sends a message and up to two that wait for its run, until servers acknowledge them, and waits for their runs. */
  async #send({ id, sent, started, events }: Conversation): Promise<void> {
    for (let count = Math.floor(this.#random() * 3); count >= 0; count--) {
      const message = { id: newId(), content: 'Work.', agent: 'worker', delivery: 'follow_up' as const };
      const { runId, queued } = await this.ask(client => client.sendMessage(id, message));
      sent.push(message.id);
      if (queued !== true) started.push(runId);
    }
    const ended = () => events.filter(({ type }) => type === 'harness_end').length;
    while (ended() < sent.length && !this.#stop.signal.aborted) await delay(50);
  }

  async #follow({ id, events }: Conversation): Promise<void> {
    const { signal } = this.#stop;
    const baseUrl = this.#balancer.through('http://127.0.0.1/').replace(/\/$/, '');
    const wait = (ms: number) => delay(Math.min(ms, 500)).then(() => {});
    const client = createClient({ baseUrl, token: 'token-of-ann', idleMs: 20_000, delay: wait });
    for await (const event of client.watch(id, { signal, waitForServer: true })) events.push(event);
  }

  async #answerRelays(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      const relays = await this.#client('token-of-bob')
        .listRelays()
        .catch(() => []);
      await Promise.all(
        relays.map(async ({ threadId, id: relayId }) => {
          try {
            await this.#client('token-of-bob').answerRelay(threadId, relayId, { outcome: 'approve' });
            this.answered.push({ threadId, relayId });
          } catch {
            // Somebody else answered it, or nobody did: it is listed again then.
          }
        }),
      );
      await delay(150);
    }
  }

  #client(token: string): Client {
    const { servers } = this.#cluster;
    // A request that the client repeats goes to another server, as a load balancer sends it.
    const balanced: typeof fetch = (input, init) => {
      const path = input instanceof Request ? input.url : input.toString();
      if (path.endsWith('/messages')) this.requests++;
      const { url = '' } = servers[this.#turn++ % servers.length] ?? {};
      return fetch(url + path, { ...init, signal: AbortSignal.timeout(requestMs) });
    };
    return createClient({ token, fetch: balanced });
  }
}

/** Whether the same request may succeed at another server or later. */
function isOutage(error: unknown): boolean {
  if (!SingletreeError.is(error)) return true;
  return error.status >= 500 || ['server_unreachable', 'lease_held', 'seq_conflict'].includes(error.code);
}
