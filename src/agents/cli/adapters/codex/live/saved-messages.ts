import type { ChannelHost } from '../../../contract/live-channel.ts';
import type { MessageReader } from '../../../shared/channel-translator.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { readRequest, resolvedId } from './read-request.ts';
import { consumedNotifications } from './consumed-notifications.ts';
import { readRpcError, RpcConnection, type RpcMessage } from '../../../channels/json-rpc.ts';
import { ThreadUsage } from './thread-usage.ts';
import { CodexTurn } from './turn.ts';

/** Translates the saved messages of `codex app-server`. */
export class CodexSavedMessages implements MessageReader {
  readonly #host: ChannelHost;
  readonly #runId: string;
  readonly #rpc = new RpcConnection(() => {});
  /** Messages before the first that names the thread. */
  readonly #early: { readonly value: unknown; readonly line: number }[] = [];
  #turn: CodexTurn | undefined;
  #hasBegun = false;

  constructor(host: ChannelHost, runId: string) {
    this.#host = host;
    this.#runId = runId;
  }

  get failure() {
    return this.#turn?.events.context.failure;
  }

  get finished(): boolean {
    return this.#turn?.isSettled === true || this.failure !== undefined;
  }

  receive(value: unknown, line: number): void {
    const record = toRecord(value) ?? {};
    const threadId =
      toText(toRecord(toRecord(record['result'])?.['thread'])?.['id']) ??
      toText(toRecord(record['params'])?.['threadId']);
    if (this.#turn === undefined && threadId === undefined && record['error'] === undefined)
      this.#early.push({ value, line });
    else this.#take(this.#begin(threadId), value, line);
  }

  end(): void {
    const turn = this.#begin(undefined);
    turn.events.within(undefined, () => turn.end());
  }

  /** Returns the turn, which begins with the thread that is named first: others are those of subagents. */
  #begin(threadId = ''): CodexTurn {
    if (this.#turn !== undefined) return this.#turn;
    const turn = new CodexTurn({
      host: this.#host,
      runId: this.#runId,
      threadId,
      suffix: '',
      usage: new ThreadUsage(),
      over: new Set(),
      heard: () => {},
    });
    this.#turn = turn;
    for (const { value, line } of this.#early.splice(0)) this.#take(turn, value, line);
    return turn;
  }

  #take(turn: CodexTurn, value: unknown, line: number): void {
    turn.events.receive(line, value, () => {
      const record = toRecord(value);
      const message = record && this.#rpc.read(record);
      if (message === undefined || message === 'answer') return this.#answer(turn, record);
      return this.#message(turn, message);
    });
  }

  /** Ignores responses, which only repeat other messages, except an error that kept the turn from beginning. */
  #answer({ events: { context } }: CodexTurn, record: WireRecord | undefined): boolean {
    if (record?.['id'] === undefined || 'result' in record === 'error' in record) return false;
    if ('error' in record && !this.#hasBegun)
      context.fail({ message: `Codex did not start the turn: ${readRpcError(record['error']).message}` });
    return true;
  }

  #message(turn: CodexTurn, message: RpcMessage): boolean {
    const { method, params } = message;
    const thread = turn.threads.find(toText(params['threadId'])) ?? turn.threads.main;
    if (message.id !== undefined) {
      turn.asked(thread, params['itemId']);
      return readRequest(message, thread.items) !== undefined;
    }
    if (consumedNotifications.has(method) || resolvedId(message) !== undefined) return true;
    // It writes the warnings of its start to stderr, too.
    if (method === 'configWarning' && !this.#hasBegun) return true;
    if (method === 'turn/started') {
      this.#hasBegun = true;
      if (thread === turn.threads.main && turn.isSettled) turn.again();
    }
    return turn.take(message);
  }
}
