import type { ChannelHost, LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import type { AgentThread } from './agent-threads.ts';
import type { PersonRequest } from './person-request.ts';
import { readRequest } from './read-request.ts';
import type { RpcConnection, RpcId, RpcMessage } from './rpc.ts';

interface OpenRequest {
  readonly rpcId: RpcId;
  readonly thread: AgentThread;
  readonly personRequest: PersonRequest;
  /** The requests to a person that are part of it and not answered, by our id. */
  readonly waiting: Map<string, LiveRequest>;
  /** The answers in the order of its questions. */
  readonly answers: Map<string, LiveAnswer | undefined>;
  isAnswered: boolean;
}

interface RequestsOptions {
  readonly host: ChannelHost;
  readonly rpc: RpcConnection;
  /** Runs `act` and passes on its events. */
  readonly within: (act: () => void) => void;
  /** Sends words into the turn of a thread and calls back when they were taken or refused. */
  readonly say: (thread: AgentThread, text: string, done: () => void) => void;
}

/** The open requests of Codex to a person. */
export class CodexRequests {
  readonly #options: RequestsOptions;
  readonly #open = new Map<RpcId, OpenRequest>();
  #count = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
  }

  /** Whether the program has not withdrawn a request of this id. */
  isOpen(rpcId: RpcId): boolean {
    return this.#open.has(rpcId);
  }

  /** Registers a request of the program; returns false when it is not understood. */
  receive(message: RpcMessage, rpcId: RpcId, { thread, flush }: { thread: AgentThread; flush: () => void }): boolean {
    const personRequest = readRequest(message, thread.items);
    if (personRequest === undefined) return false;
    const { host, rpc } = this.#options;
    flush();
    if (personRequest.questions.length === 0) {
      rpc.respond(rpcId, personRequest.reply([]));
      return true;
    }
    const waiting = new Map<string, LiveRequest>();
    const open: OpenRequest = { rpcId, thread, personRequest, waiting, answers: new Map(), isAnswered: false };
    this.#open.set(rpcId, open);
    for (const question of personRequest.questions) {
      const id = `request-${++this.#count}`;
      open.answers.set(id, undefined);
      waiting.set(id, { id, runId: thread.items.runId, ...question });
    }
    // The host may answer at once.
    for (const request of waiting.values()) if (waiting.has(request.id)) host.request(request);
    return true;
  }

  answer(requestId: string, answer: LiveAnswer): void {
    const open = [...this.#open.values()].find(({ waiting }) => waiting.has(requestId));
    if (open === undefined) return;
    open.waiting.delete(requestId);
    open.answers.set(requestId, answer);
    // A person who declines one of several questions declines all.
    if (answer.outcome === 'reject' || answer.outcome === 'cancelled')
      this.#withdraw(open, 'Another question of the request was declined.');
    if (open.waiting.size === 0) this.#reply(open);
  }

  /** The program no longer waits for a request; nothing happens when it is not open. */
  resolved(rpcId: RpcId, reason: string): void {
    const open = this.#open.get(rpcId);
    if (open === undefined) return;
    this.#open.delete(rpcId);
    this.#withdraw(open, reason);
  }

  /** Withdraws the requests of threads that are over. */
  keepOnly(threads: readonly AgentThread[]): void {
    for (const open of this.#open.values())
      if (!threads.includes(open.thread)) this.resolved(open.rpcId, 'The subagent that asked is over.');
  }

  /** Withdraws every open request. */
  close(reason: string): void {
    for (const open of this.#open.values()) this.#withdraw(open, reason);
    this.#open.clear();
  }

  #reply(open: OpenRequest): void {
    const { rpc, within, say } = this.#options;
    const { personRequest, thread, rpcId } = open;
    const answers = [...open.answers.values()];
    const respond = () => {
      if (this.#open.get(rpcId) !== open || open.isAnswered) return;
      open.isAnswered = true;
      within(() => personRequest.answered?.(answers));
      rpc.respond(rpcId, personRequest.reply(answers));
    };
    const words = personRequest.words(answers);
    if (words === undefined) respond();
    else say(thread, words, respond);
  }

  #withdraw(open: OpenRequest, reason: string): void {
    for (const id of open.waiting.keys()) this.#options.host.withdraw(id, reason);
    open.waiting.clear();
  }
}
