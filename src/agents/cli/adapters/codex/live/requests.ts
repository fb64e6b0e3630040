import { type Answers, type ProgramRequest, RequestBook } from '../../../channels/request-book.ts';
import type { ChannelHost, LiveAnswer } from '../../../contract/live-channel.ts';
import type { AgentThread } from './agent-threads.ts';
import type { PersonRequest } from './person-request.ts';
import { readRequest } from './read-request.ts';
import { type RpcConnection, type RpcId, type RpcMessage, toRpcId } from '../../../channels/json-rpc.ts';

interface CodexRequest extends ProgramRequest<RpcId> {
  readonly thread: AgentThread;
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
  readonly #book: RequestBook<RpcId, CodexRequest>;
  #count = 0;

  constructor(options: RequestsOptions) {
    this.#options = options;
    this.#book = new RequestBook(options.host);
  }

  /** Whether the program has not withdrawn a request of this id. */
  isOpen(rpcId: RpcId): boolean {
    return this.#book.has(rpcId);
  }

  /** Registers a request of the program; returns false when it is not understood. */
  receive(message: RpcMessage, rpcId: RpcId, { thread, flush }: { thread: AgentThread; flush: () => void }): boolean {
    const personRequest = readRequest(message, thread.items);
    if (personRequest === undefined) return false;
    flush();
    const { runId } = thread.items;
    const request: CodexRequest = {
      key: rpcId,
      thread,
      questions: personRequest.questions.map(asked => ({ id: `request-${++this.#count}`, runId, ...asked })),
      settle: answers => this.#reply(request, personRequest, answers),
    };
    this.#book.open(request);
    return true;
  }

  answer(requestId: string, answer: LiveAnswer): void {
    this.#book.answer(requestId, answer);
  }

  /** The program no longer waits for a request; nothing happens when it is not open. */
  resolved(rpcId: RpcId, reason: string): void {
    this.#book.withdraw(rpcId, reason);
  }

  /** Withdraws the requests of threads that are over. */
  keepOnly(threads: readonly AgentThread[]): void {
    this.#book.withdrawAll('The subagent that asked is over.', ({ thread }) => !threads.includes(thread));
  }

  /** Withdraws every open request. */
  close(reason: string): void {
    this.#book.withdrawAll(reason);
  }

  /** Answers the program, after the words that belong to the answer were taken or refused. */
  #reply(request: CodexRequest, personRequest: PersonRequest, answers: Answers): void {
    const { rpc, within, say } = this.#options;
    let isAnswered = false;
    const respond = () => {
      if (isAnswered || !this.#book.isCurrent(request)) return;
      isAnswered = true;
      if (answers.length > 0) within(() => personRequest.answered?.(answers));
      rpc.respond(request.key, personRequest.reply(answers));
    };
    const words = personRequest.words(answers);
    if (words === undefined) respond();
    else say(request.thread, words, respond);
  }
}

/** Returns the id of the request that a notification reports as closed; undefined when it is another message. */
export function resolvedId({ method, params }: RpcMessage): RpcId | undefined {
  return method === 'serverRequest/resolved' ? toRpcId(params['requestId']) : undefined;
}
