import type { ChannelHost } from '../../../contract/live-channel.ts';
import { readServeResponse } from '../../../contract/serve-message.ts';
import type { MessageReader } from '../../../shared/channel-translator.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { isConsumedEvent } from './consumed-events.ts';
import { HttpCalls } from './http-calls.ts';
import { ServeRun } from './serve-run.ts';
import { ServeTurn } from './serve-turn.ts';
import { SessionBook } from './session-book.ts';

/** Translates the saved responses and events of a server of OpenCode or Kilo Code. */
export class ServeSavedMessages implements MessageReader {
  readonly #host: ChannelHost;
  readonly #runId: string;
  readonly #book = new SessionBook();
  #sessionId: string | undefined;
  #run: ServeRun | undefined;
  #turn: ServeTurn | undefined;
  #turns = 0;

  constructor(host: ChannelHost, runId: string) {
    this.#host = host;
    this.#runId = runId;
  }

  get failure() {
    return this.#run?.context.failure;
  }

  get finished(): boolean {
    return this.#turns > 0 && this.#turn === undefined;
  }

  receive(message: unknown, line: number): void {
    const response = readServeResponse(message);
    if (response !== undefined) {
      this.#register(response.body);
      return;
    }
    const event = toRecord(message);
    const properties = toRecord(event?.['properties']);
    const type = toText(event?.['type']) ?? '';
    if (event !== undefined && this.#turn === undefined && this.#isBetweenTurns(type, properties)) return;
    const turn = this.#turn ?? this.#begin(properties);
    turn.events.receive(line, message, () => turn.take(message));
  }

  end(): void {
    const turn = this.#turn ?? (this.#turns === 0 ? this.#begin(undefined) : undefined);
    if (turn !== undefined) this.#end(turn, 'error');
  }

  #end(turn: ServeTurn, reason: Parameters<ServeTurn['finish']>[0]): void {
    this.#turn = undefined;
    turn.events.within(undefined, () => turn.finish(reason));
  }

  /** The session is the last that a response names before the turn; listed messages are older than it. */
  #register(body: unknown): void {
    const id = toText(toRecord(body)?.['id']);
    if (id?.startsWith('ses') === true && this.#turns === 0) this.#sessionId = id;
    for (const value of toList(body)) {
      const messageId = toText(toRecord(toRecord(value)?.['info'])?.['id']);
      if (messageId !== undefined) this.#book.addEarlier(messageId);
    }
  }

  #isBetweenTurns(type: string, properties: WireRecord | undefined): boolean {
    const info = toRecord(properties?.['info']);
    if (type === 'session.created' && info !== undefined) this.#book.addSession(info);
    return isConsumedEvent(type) || type === 'session.created' || (type === 'session.idle' && this.#turns > 0);
  }

  #begin(properties: WireRecord | undefined): ServeTurn {
    this.#sessionId ??=
      toText(properties?.['sessionID']) ?? toText(toRecord(properties?.['info'])?.['sessionID']) ?? '';
    if (this.#run === undefined)
      this.#run = new ServeRun(this.#host, { runId: this.#runId, sessionId: this.#sessionId, book: this.#book });
    else this.#run.nextTurn();
    const turn: ServeTurn = new ServeTurn({
      turn: { runId: this.#runId, content: '' },
      number: ++this.#turns,
      run: this.#run,
      book: this.#book,
      calls: new HttpCalls(() => {}),
      commands: [],
      host: this.#host,
      onEnd: reason => this.#end(turn, reason),
    });
    turn.events.within(undefined, () => turn.begin());
    this.#turn = turn;
    return turn;
  }
}
