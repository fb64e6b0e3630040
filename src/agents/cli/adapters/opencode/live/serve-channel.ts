import { defined } from '../../../../../base/defined.ts';
import { TurnChannel } from '../../../channels/turn-channel.ts';
import type {
  ChannelHost,
  LiveAnswer,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
  SessionProblem,
  SteerMessage,
} from '../../../contract/live-channel.ts';
import { readServeResponse, type ServeResponse } from '../../../contract/serve-message.ts';
import { toList, toRecord, toText } from '../../../shared/wire-value.ts';
import { unaskedCalls } from './ask-policy.ts';
import { isConsumedEvent } from './consumed-events.ts';
import { HttpCalls, isDone, responseProblem } from './http-calls.ts';
import type { ServeProgram } from './serve-command.ts';
import { ServeRun } from './serve-run.ts';
import { ServeTurn } from './serve-turn.ts';
import { SessionBook } from './session-book.ts';
import { readSlashCommands, type SlashCommands } from './slash-commands.ts';

/** Events before the first turn that belong to the session that is being opened, among them its earlier messages. */
const ofOpening: ReadonlySet<string> = new Set([
  'message.part.updated',
  'message.updated',
  'session.created',
  'session.idle',
  'session.status',
]);

/** The channel of OpenCode and Kilo Code over their local server: HTTP requests and server-sent events. */
export class ServeChannel extends TurnChannel<ServeTurn> {
  readonly #program: ServeProgram;
  readonly #calls: HttpCalls;
  readonly #book = new SessionBook();
  #sessionId = '';
  #commands: SlashCommands = [];
  /** The run of the last turn. */
  #run: ServeRun | undefined;
  #turns = 0;

  constructor(program: ServeProgram, host: ChannelHost, start: LiveStart) {
    super(host, start);
    this.#program = program;
    this.#calls = new HttpCalls(message => host.send(message));
  }

  protected connect(): void {
    if (this.start.yolo === true) this.#openSession();
    else this.#calls.get('/agent', response => this.#checkPolicy(response));
  }

  protected takeBetweenTurns(message: unknown): boolean {
    const response = readServeResponse(message);
    return response === undefined ? this.#isPartOfOpening(message) : this.#calls.settle(response);
  }

  protected takeInTurn(turn: ServeTurn, message: unknown): boolean {
    const response = readServeResponse(message);
    if (response === undefined) return turn.take(message);
    let isSettled = false;
    turn.events.within(undefined, () => (isSettled = this.#calls.settle(response)));
    return isSettled;
  }

  protected createTurn(turn: LiveTurn): ServeTurn {
    const { host } = this;
    if (this.#run?.runId === turn.runId) this.#run.nextTurn();
    else this.#run = new ServeRun(host, { runId: turn.runId, sessionId: this.#sessionId, book: this.#book });
    const created: ServeTurn = new ServeTurn({
      turn,
      number: ++this.#turns,
      run: this.#run,
      book: this.#book,
      calls: this.#calls,
      commands: this.#commands,
      host,
      onEnd: reason => this.endTurn(created, reason),
    });
    return created;
  }

  protected sendPrompt(turn: ServeTurn): void {
    turn.begin();
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.turn?.answer(requestId, answer);
  }

  protected sendMessage(turn: ServeTurn, { id, content }: SteerMessage): void {
    turn.prompt(content, id);
  }

  protected stopTurn(turn: ServeTurn): void {
    turn.interrupt();
  }

  protected finishTurn(turn: ServeTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    let end: LiveTurnEnd = { reason };
    turn.events.within(turn.events.context.line, () => (end = turn.finish(reason)));
    return end;
  }

  protected describeUnopened(): SessionProblem {
    return { message: `${this.#program.name} ended before its session was open.`, code: 'agent_failed' };
  }

  #isPartOfOpening(message: unknown): boolean {
    const event = toRecord(message);
    const type = toText(event?.['type']);
    if (event === undefined || type === undefined) return false;
    const info = toRecord(toRecord(event['properties'])?.['info']);
    if (type === 'session.created' && info !== undefined) this.#book.addSession(info);
    if (type === 'message.updated' && info !== undefined) this.#book.addMessage(info, undefined);
    return isConsumedEvent(type) || ofOpening.has(type);
  }

  #checkPolicy(response: ServeResponse): void {
    const { name } = this.#program;
    const unasked = isDone(response) ? unaskedCalls(response.body) : undefined;
    if (unasked === undefined)
      this.fail({
        message: `${name} did not report its permission rules: ${responseProblem(response)}`,
        code: 'ask_policy',
      });
    else if (unasked.length > 0)
      this.fail({
        message: `${name} would not ask before these calls: ${unasked.join(', ')}. Remove the permission settings of these agents from its configuration, or run it with --yolo.`,
        code: 'ask_policy',
      });
    else this.#openSession();
  }

  #openSession(): void {
    const { sessionId, fork } = this.start;
    if (sessionId === undefined) this.#calls.post('/session', {}, response => this.#opened(response));
    else
      this.#calls.get(`/session/${encodeURIComponent(sessionId)}`, response => {
        if (response.status === 404 || response.status === 400)
          this.fail({ message: `${this.#program.name} has no session "${sessionId}".`, code: 'session_unknown' });
        else if (fork === true && isDone(response))
          this.#calls.post(`/session/${sessionId}/fork`, {}, forked => this.#forked(forked));
        else this.#opened(response);
      });
  }

  /** The server may report the copied messages during the first turn: they are listed before, to be known then. */
  #forked(response: ServeResponse): void {
    const id = toText(toRecord(response.body)?.['id']);
    if (!isDone(response) || id === undefined) this.#opened(response);
    else
      this.#calls.get(`/session/${encodeURIComponent(id)}/message`, ({ body }) => {
        for (const message of toList(body)) {
          const messageId = toText(toRecord(toRecord(message)?.['info'])?.['id']);
          if (messageId !== undefined) this.#book.addEarlier(messageId);
        }
        this.#opened(response);
      });
  }

  #opened(response: ServeResponse): void {
    const sessionId = toText(toRecord(response.body)?.['id']);
    if (!isDone(response) || sessionId === undefined) {
      this.fail({
        message: `${this.#program.name} could not open a session: ${responseProblem(response)}`,
        code: 'session_failed',
      });
      return;
    }
    this.#sessionId = sessionId;
    this.#calls.get('/command', listed => {
      this.#commands = readSlashCommands(listed, this.start.yolo === true);
      this.setReady({ sessionId, ...defined({ model: this.start.model, mode: this.start.mode }) });
    });
  }
}
