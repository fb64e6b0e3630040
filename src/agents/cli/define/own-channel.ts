import { defined } from '../../../base/defined.ts';
import { type Answers, type Question, RequestBook } from '../channels/request-book.ts';
import { TurnChannel } from '../channels/turn-channel.ts';
import type {
  ChannelHost,
  LiveAbilities,
  LiveAdapter,
  LiveAnswer,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
  SessionProblem,
} from '../contract/live-channel.ts';
import { ChannelEvents } from '../shared/channel-events.ts';
import type { LineContext } from '../shared/line-context.ts';
import type { RecordReader } from '../shared/line-translator.ts';
import { promptText } from '../shared/prompt-content.ts';
import { toRecord, type WireRecord } from '../shared/wire-value.ts';
import { LiveTurnRun, type TurnPort } from './live-turn-run.ts';

/** The details that a program reports when its session is open. */
export interface OpenedSession {
  /** Its own session, which later runs of the thread resume when the program can. */
  readonly sessionId?: string;
  readonly model?: string;
}

/** How to use a program that keeps running with a custom protocol: one JSON object per line, in both directions. */
export interface LiveMode {
  /** Returns the arguments that start it; with a `sessionId` it resumes that session, which takes `resumes`. */
  args(start: { readonly sessionId?: string; readonly model?: string }): readonly string[];
  /** Whether it can resume its sessions. Default: no. */
  readonly resumes?: boolean;
  /** The message that opens the session. Default: none. */
  readonly hello?: object;
  /** Reads the record that reports an open session; undefined for any other. Default: it is open immediately. */
  opened?(record: WireRecord): OpenedSession | undefined;
  /** Returns the message that sends a prompt. */
  prompt(text: string): object;
  /** The message that stops the turn; the program still reports its end. */
  readonly stop: object;
  /** Returns a function that gets each record of one run in order and reports to `turn` what it says. */
  read(turn: LiveTurnRun): (record: WireRecord) => void;
}

const abilities: LiveAbilities = {
  reason: 'answer',
  rejectEndsTurn: false,
  revise: 'none',
  questions: true,
  plans: false,
  steer: 'queued',
  resume: false,
  fork: false,
  subagents: 'none',
  parallelRequests: true,
  images: false,
  usage: true,
  cost: false,
  switchModel: false,
  switchMode: false,
};

/** Returns the interactive channel of a program with a custom protocol. */
export function ownLive(name: string, mode: LiveMode): LiveAdapter {
  return {
    protocol: 'JSON lines',
    transport: 'stdio',
    abilities: { ...abilities, resume: mode.resumes === true },
    command: ({ sessionId, model, extraArgs = [] }) => ({
      args: [...mode.args(defined({ sessionId, model })), ...extraArgs],
    }),
    channel: (host, start) => new OwnChannel(host, start, { name, mode }),
  };
}

/** Returns a reader of the saved records of such a program, which asks no questions and sends nothing. */
export function savedReader(mode: LiveMode, context: LineContext): RecordReader {
  const ignore = () => {};
  const take = readRun(mode, context, { ask: ignore, send: ignore, end: () => (context.finished = true) });
  return {
    take: record => {
      const opened = mode.opened?.(record);
      if (opened === undefined) take(record);
      else if (opened.sessionId !== undefined) context.session(opened.sessionId, defined({ model: opened.model }));
    },
    flush: ignore,
  };
}

function readRun(mode: LiveMode, context: LineContext, port: TurnPort): (record: WireRecord) => void {
  let current: WireRecord = {};
  const read = mode.read(new LiveTurnRun(context, () => current, port));
  return record => {
    current = record;
    read(record);
  };
}

interface OwnTurn {
  readonly runId: string;
  readonly events: ChannelEvents;
  readonly take: (record: WireRecord) => void;
}

class OwnChannel extends TurnChannel<OwnTurn> {
  readonly #name: string;
  readonly #mode: LiveMode;
  readonly #book: RequestBook<string>;
  #requests = 0;
  #session: OpenedSession = {};
  /** The run of the last turn. */
  #run: OwnTurn | undefined;

  constructor(host: ChannelHost, start: LiveStart, { name, mode }: { readonly name: string; readonly mode: LiveMode }) {
    super(host, start);
    this.#name = name;
    this.#mode = mode;
    this.#book = new RequestBook(this.host);
  }

  protected connect(): void {
    if (this.#mode.hello !== undefined) this.#send(this.#mode.hello);
    if (this.#mode.opened === undefined) this.setReady({});
  }

  protected takeBetweenTurns(message: unknown): boolean {
    const record = toRecord(message);
    const opened = this.isOpening && record !== undefined ? this.#mode.opened?.(record) : undefined;
    if (opened === undefined) return false;
    this.#session = opened;
    this.setReady(opened);
    return true;
  }

  protected takeInTurn({ take }: OwnTurn, message: unknown): boolean {
    const record = toRecord(message);
    if (record !== undefined) take(record);
    return record !== undefined;
  }

  protected createTurn({ runId }: LiveTurn): OwnTurn {
    if (this.#run?.runId === runId) {
      this.#run.events.context.forgive();
      this.#run.events.context.forgetSteps(runId);
      return this.#run;
    }
    const events = new ChannelEvents(this.host, runId);
    const take = readRun(this.#mode, events.context, {
      ask: (question, reply) => this.#ask(question, reply, runId),
      send: message => this.#send(message),
      end: () => this.endTurn(turn, this.isInterrupted ? 'aborted' : 'complete'),
    });
    const turn: OwnTurn = { runId, events, take };
    this.#run = turn;
    return turn;
  }

  protected sendPrompt({ events }: OwnTurn, { content }: LiveTurn): void {
    const { sessionId, model } = this.#session;
    if (sessionId !== undefined) events.context.session(sessionId, { cwd: this.start.cwd, ...defined({ model }) });
    this.#send(this.#mode.prompt(promptText(content)));
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#book.answer(requestId, answer);
  }

  /** The program takes no messages during a turn: `steer: 'queued'`. */
  protected sendMessage(): void {}

  protected stopTurn(): void {
    this.#book.cancelAll();
    this.#send(this.#mode.stop);
  }

  protected finishTurn({ events }: OwnTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    this.#book.withdrawAll('The turn has ended.');
    events.within(undefined, () => {
      // The failure of an interrupted turn is the interrupt.
      if (reason === 'aborted') events.context.forgive();
      events.context.close();
    });
    return { reason: events.context.failure === undefined ? reason : 'error' };
  }

  /** A program that ends immediately does not know the session to resume. */
  protected describeUnopened(): SessionProblem {
    const { sessionId } = this.start;
    const name = this.#name;
    if (sessionId === undefined) return { message: `${name} ended before its session was open.`, code: 'exit_code' };
    return { message: `${name} cannot resume session "${sessionId}".`, code: 'session_unknown' };
  }

  #ask(question: Question, reply: (answers: Answers) => object, runId: string): void {
    const key = `request-${++this.#requests}`;
    this.#book.open({
      key,
      questions: [{ id: key, runId, ...question }],
      settle: answers => this.#send(reply(answers)),
      cancel: () => this.#send(reply([])),
    });
  }

  #send(message: object): void {
    this.host.send(JSON.stringify(message));
  }
}
