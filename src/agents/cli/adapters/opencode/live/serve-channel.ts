import { defined } from '../../../../../events/defined.ts';
import type { ContentPart } from '../../../../../events/index.ts';
import type { ChannelHost, LiveAnswer, LiveChannel, LiveStart, LiveTurn } from '../../../contract/live-channel.ts';
import { readServeResponse, type ServeResponse } from '../../../contract/serve-message.ts';
import { listOf, recordOf, textOf } from '../../../shared/wire-value.ts';
import { unaskedCalls } from './ask-policy.ts';
import { isConsumedEvent } from './consumed-events.ts';
import { HttpCalls, isDone, responseProblem } from './http-calls.ts';
import type { ServeProgram } from './serve-command.ts';
import { ServeRun } from './serve-run.ts';
import { ServeTurn } from './serve-turn.ts';
import { SessionBook } from './session-book.ts';

/** The most lines that are kept for the first turn. */
const mostEarly = 1_000;

/** Events before the first turn that belong to the session that is being opened, among them its earlier messages. */
const ofOpening: ReadonlySet<string> = new Set([
  'message.part.updated',
  'message.updated',
  'session.created',
  'session.idle',
  'session.status',
]);

/** The channel of OpenCode and Kilo Code over their local server: HTTP requests and server-sent events. */
export class ServeChannel implements LiveChannel {
  readonly #program: ServeProgram;
  readonly #host: ChannelHost;
  readonly #start: LiveStart;
  readonly #calls: HttpCalls;
  readonly #book = new SessionBook();
  /** Lines that arrived outside of a turn, for the next one. */
  #early: { readonly line: string; readonly number: number }[] = [];
  #sessionId: string | undefined;
  #run: ServeRun | undefined;
  #turn: ServeTurn | undefined;
  #turns = 0;
  #isClosed = false;

  constructor(program: ServeProgram, host: ChannelHost, start: LiveStart) {
    this.#program = program;
    this.#host = host;
    this.#start = start;
    this.#calls = new HttpCalls(message => host.send(message));
  }

  open(): void {
    if (this.#start.yolo === true) this.#openSession();
    else this.#calls.get('/agent', response => this.#checkPolicy(response));
  }

  receive(line: string, number: number): void {
    if (this.#isClosed || line.trim() === '') return;
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      message = line;
    }
    const response = readServeResponse(message);
    if (response !== undefined && this.#calls.settle(response)) return;
    if (this.#turn !== undefined) this.#take(message, response !== undefined, number);
    else if (!this.#isPartOfOpening(message)) {
      this.#early.push({ line, number });
      if (this.#early.length > mostEarly) this.#early.shift();
    }
  }

  prompt(turn: LiveTurn): void {
    if (this.#isClosed || this.#sessionId === undefined || this.#turn !== undefined) return;
    if (this.#run?.runId === turn.runId) this.#run.nextTurn();
    else this.#run = new ServeRun(turn.runId, this.#sessionId, this.#book);
    this.#turn = new ServeTurn({
      turn,
      number: ++this.#turns,
      run: this.#run,
      book: this.#book,
      calls: this.#calls,
      host: this.#host,
      onEnd: () => (this.#turn = undefined),
    });
    this.#turn.begin();
    const early = this.#early;
    this.#early = [];
    for (const { line, number } of early) this.receive(line, number);
  }

  answer(requestId: string, answer: LiveAnswer): void {
    this.#turn?.answer(requestId, answer);
  }

  steer({ id, content }: { readonly id: string; readonly content: string | readonly ContentPart[] }): void {
    this.#turn?.steer(id, content);
  }

  interrupt(): void {
    this.#turn?.interrupt();
  }

  closed(): void {
    this.#isClosed = true;
    this.#turn?.closed();
  }

  /** A response that nobody waits for is not an event of the server. */
  #take(message: unknown, isResponse: boolean, number: number): void {
    if (isResponse) this.#turn?.keep(message, number);
    else this.#turn?.take(message, number);
  }

  #isPartOfOpening(message: unknown): boolean {
    const event = recordOf(message);
    const type = textOf(event?.['type']);
    if (event === undefined || type === undefined) return false;
    const info = recordOf(recordOf(event['properties'])?.['info']);
    if (type === 'session.created' && info !== undefined) this.#book.addSession(info);
    if (type === 'message.updated' && info !== undefined) this.#book.addMessage(info, undefined);
    return isConsumedEvent(type) || ofOpening.has(type);
  }

  #checkPolicy(response: ServeResponse): void {
    const { name } = this.#program;
    const unasked = isDone(response) ? unaskedCalls(response.body) : undefined;
    if (unasked === undefined)
      this.#fail(`${name} did not report its permission rules: ${responseProblem(response)}`, 'ask_policy');
    else if (unasked.length > 0)
      this.#fail(
        `${name} would not ask before these calls: ${unasked.join(', ')}. Remove the permission settings of these agents from its configuration, or run it with --yolo.`,
        'ask_policy',
      );
    else this.#openSession();
  }

  #openSession(): void {
    const { sessionId, fork } = this.#start;
    if (sessionId === undefined) this.#calls.post('/session', {}, response => this.#opened(response));
    else
      this.#calls.get(`/session/${encodeURIComponent(sessionId)}`, response => {
        if (response.status === 404 || response.status === 400)
          this.#fail(`${this.#program.name} has no session "${sessionId}".`, 'session_unknown');
        else if (fork === true && isDone(response))
          this.#calls.post(`/session/${sessionId}/fork`, {}, forked => this.#forked(forked));
        else this.#opened(response);
      });
  }

  /** The server may report the copied messages during the first turn: they are listed before, to be known then. */
  #forked(response: ServeResponse): void {
    const id = textOf(recordOf(response.body)?.['id']);
    if (!isDone(response) || id === undefined) this.#opened(response);
    else
      this.#calls.get(`/session/${encodeURIComponent(id)}/message`, ({ body }) => {
        for (const message of listOf(body)) {
          const messageId = textOf(recordOf(recordOf(message)?.['info'])?.['id']);
          if (messageId !== undefined) this.#book.addEarlier(messageId);
        }
        this.#opened(response);
      });
  }

  #opened(response: ServeResponse): void {
    const sessionId = textOf(recordOf(response.body)?.['id']);
    if (!isDone(response) || sessionId === undefined) {
      this.#fail(`${this.#program.name} could not open a session: ${responseProblem(response)}`, 'session_failed');
      return;
    }
    this.#sessionId = sessionId;
    this.#host.ready({ sessionId, ...defined({ model: this.#start.model, mode: this.#start.mode }) });
  }

  #fail(message: string, code: string): void {
    this.#host.failed({ message, code });
  }
}
