import type { ContentPart } from '../../../../../events/index.ts';
import type { ChannelHost, LiveAnswer, LiveTurn } from '../../../contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { readError, readSubagent } from '../wire.ts';
import { isConsumedEvent } from './consumed-events.ts';
import { type HttpCalls, isDone, responseProblem } from './http-calls.ts';
import { readPermissionAsk } from './permission-ask.ts';
import { PermissionRequests } from './permission-requests.ts';
import { PlanFiles } from './plan-files.ts';
import { promptBody } from './prompt-body.ts';
import { type QuestionHost, QuestionRequests } from './question-requests.ts';
import type { ServeRun } from './serve-run.ts';
import { isComplete, type SessionBook } from './session-book.ts';
import { TurnSilence } from './turn-silence.ts';

export interface ServeTurnOptions {
  readonly turn: LiveTurn;
  /** The number of the turn in the session. */
  readonly number: number;
  readonly run: ServeRun;
  readonly book: SessionBook;
  readonly calls: HttpCalls;
  readonly host: ChannelHost;
  /** The turn has ended. */
  readonly onEnd: () => void;
}

/** The interval at which a question is looked for that the server does not announce. */
const lookMs = 500;

type Handler = (properties: WireRecord) => boolean;

/** One turn over a server of OpenCode or Kilo Code: its events and its requests. */
export class ServeTurn {
  readonly #options: ServeTurnOptions;
  readonly #silence: TurnSilence;
  readonly #permissions: PermissionRequests;
  readonly #questions: QuestionRequests;
  readonly #plans = new PlanFiles();
  /** Whether a part is text or reasoning, by its id, for the fragments of it. */
  readonly #speech = new Map<string, 'text' | 'reasoning'>();
  /** The sessions of subagents whose calls do not wait for them. */
  readonly #background = new Set<string>();
  readonly #cancels = new Set<() => void>();
  #mode: string | undefined;
  #isAborting = false;
  #isAbortSettled = false;
  #isEnding = false;
  #wasAborted = false;
  #hasEnded = false;
  /** Calls of the host that follow the events of the current line. */
  #afterwards: (() => void)[] = [];

  constructor(options: ServeTurnOptions) {
    this.#options = options;
    const { run, host } = options;
    this.#mode = options.turn.mode;
    const requestHost: QuestionHost = {
      findCall: (sessionId, callId) => {
        const runId = run.runIdOf(sessionId);
        const call = run.readerOf(sessionId)?.call(callId);
        return call === undefined || runId === undefined ? undefined : { call, runId };
      },
      runIdOf: sessionId => run.runIdOf(sessionId),
      request: request => this.#later(() => host.request(request)),
      withdraw: (id, reason) => this.#later(() => host.withdraw(id, reason)),
      after: (ms, callback) => void this.#after(ms, callback),
      say: text => this.#prompt(text),
      plans: this.#plans,
    };
    this.#silence = new TurnSilence({
      after: (ms, callback) => this.#after(ms, callback),
      hasFailed: () => run.context.failure !== undefined,
      end: () => this.#end(this.#reason()),
    });
    this.#permissions = new PermissionRequests(requestHost, this.#calls);
    this.#questions = new QuestionRequests(requestHost, this.#calls);
  }

  /** The requests of the turn: what follows from their responses is part of it, too. */
  readonly #calls: Pick<HttpCalls, 'get' | 'post'> = {
    get: (path, onResponse) =>
      this.#options.calls.get(path, response => this.#during(undefined, () => onResponse(response))),
    post: (path, body, onResponse) =>
      this.#options.calls.post(path, body, response => this.#during(undefined, () => onResponse?.(response))),
  };

  /** Sends the prompt of the turn. */
  begin(): void {
    const { turn } = this.#options;
    this.#during(undefined, () => {
      this.#options.run.context.session(this.#options.run.sessionId);
      this.#prompt(turn.content);
    });
  }

  /** Handles one event of the server. */
  take(event: unknown, number: number): void {
    this.#during(number, () => {
      if (!this.#handle(event)) this.#options.run.context.unknown(event);
    });
  }

  /** Keeps a message that is not an event of the server. */
  keep(raw: unknown, number: number): void {
    this.#during(number, () => this.#options.run.context.unknown(raw));
  }

  answer(requestId: string, answer: LiveAnswer): void {
    if (this.#isAborting) return;
    this.#during(undefined, () => {
      if (!this.#permissions.answer(requestId, answer)) this.#questions.answer(requestId, answer);
    });
  }

  steer(id: string, content: string | readonly ContentPart[]): void {
    this.#during(undefined, () => this.#prompt(content, id));
  }

  /** Stops the turn. Requests that are open stay listed by the server; nobody answers them any more. */
  interrupt(): void {
    this.#during(undefined, () => {
      this.#isAborting = true;
      this.#silence.stop();
      this.#abort();
    });
  }

  /** The server has ended. */
  closed(): void {
    this.#during(undefined, () => this.#end(this.#isAborting ? 'aborted' : 'error'));
  }

  /** Runs an action that may emit events, then the calls of the host that follow them. */
  #during(number: number | undefined, action: () => void): void {
    if (this.#hasEnded) return;
    const { run, host } = this.#options;
    run.context.begin(number);
    action();
    const events = run.context.end();
    if (events.length > 0) host.emit(events);
    const afterwards = this.#afterwards;
    this.#afterwards = [];
    for (const call of afterwards) call();
  }

  #later(call: () => void): void {
    this.#afterwards.push(call);
  }

  #after(ms: number, callback: () => void): () => void {
    const cancel = this.#options.host.after(ms, () => {
      this.#cancels.delete(cancel);
      this.#during(undefined, callback);
    });
    this.#cancels.add(cancel);
    return cancel;
  }

  #prompt(content: string | readonly ContentPart[], steerId?: string): void {
    const { turn, run } = this.#options;
    const sent = this.#silence.prompts.add(steerId);
    const body = promptBody(content, { model: turn.model, mode: this.#mode });
    this.#calls.post(`/session/${run.sessionId}/prompt_async`, body, response => {
      if (isDone(response)) return;
      sent.fail();
      if (sent.isFirst)
        run.context.fail({ message: `The prompt was refused: ${responseProblem(response)}`, code: 'prompt_refused' });
      this.#silence.settled();
    });
  }

  #abort(): void {
    this.#isAbortSettled = false;
    this.#calls.post(`/session/${this.#options.run.sessionId}/abort`, {}, () => {
      this.#isAbortSettled = true;
      this.#silence.settled();
    });
  }

  #handle(event: unknown): boolean {
    const { book } = this.#options;
    const record = recordOf(event);
    const type = textOf(record?.['type']);
    if (record === undefined || type === undefined) return false;
    if (!book.isNews(record) || isConsumedEvent(type)) return true;
    const properties = recordOf(record['properties']);
    if (properties === undefined || !Object.hasOwn(this.#on, type)) return false;
    return (this.#on[type] as Handler)(properties);
  }

  /** The handlers of events; each returns false when the event is not understood. */
  readonly #on: Readonly<Record<string, Handler>> = {
    'session.created': ({ info }) => {
      const session = recordOf(info);
      if (session !== undefined) this.#options.book.addSession(session);
      return session !== undefined;
    },
    'message.updated': ({ info }) => this.#message(recordOf(info)),
    'message.part.updated': ({ part }) => this.#part(recordOf(part)),
    'message.part.delta': properties => this.#delta(properties),
    'session.status': ({ sessionID, status }) => this.#status(sessionID, recordOf(status)),
    'session.idle': ({ sessionID }) => this.#idle(textOf(sessionID)),
    'session.error': ({ sessionID, error }) => this.#error(textOf(sessionID), error),
    'permission.asked': properties => {
      const ask = readPermissionAsk(properties);
      return ask !== undefined && (this.#isAborting || this.#permissions.ask(ask));
    },
    'permission.replied': ({ requestID }) => {
      this.#permissions.replied(textOf(requestID) ?? '');
      return textOf(requestID) !== undefined;
    },
    'question.asked': properties => this.#isAborting || this.#questions.ask(properties),
    'question.replied': ({ requestID }) => this.#answered(requestID),
    'question.rejected': ({ requestID }) => this.#answered(requestID),
  };

  #answered(requestId: unknown): boolean {
    this.#questions.replied(textOf(requestId) ?? '');
    return textOf(requestId) !== undefined;
  }

  #message(info: WireRecord | undefined): boolean {
    const { book, number, run } = this.#options;
    const id = textOf(info?.['id']);
    if (info === undefined || id === undefined) return false;
    const message = book.addMessage(info, number);
    if (typeof message === 'string' || message.turn !== number || info['sessionID'] !== run.sessionId) return true;
    for (const steered of this.#silence.prompts.taken(textOf(info['parentID']) ?? ''))
      this.#later(() => this.#options.host.steered(steered, 'joined'));
    this.#mode = textOf(info['agent']) ?? this.#mode;
    this.#silence.answer(id, isComplete(info));
    return true;
  }

  #part(part: WireRecord | undefined): boolean {
    const { book, number, run } = this.#options;
    const [id, messageId, sessionId, type] = ['id', 'messageID', 'sessionID', 'type'].map(name => textOf(part?.[name]));
    if (part === undefined || id === undefined || messageId === undefined || sessionId === undefined) return false;
    const message = book.message(messageId);
    if (message === 'person' && sessionId === run.sessionId && part['synthetic'] !== true)
      this.#silence.prompts.seen(messageId);
    // Parts of earlier turns change later, as when old outputs are dropped.
    if (typeof message !== 'object' || message.turn !== number) return true;
    const reader = run.readerOf(sessionId);
    if (reader === undefined || reader.isComplete(part)) return true;
    if (type === 'text' || type === 'reasoning') {
      this.#speech.set(id, type);
      return reader.speech(type, part, recordOf(part['time'])?.['end'] !== undefined);
    }
    if (type === 'step-start') reader.stepStart(part);
    else if (type === 'step-finish') reader.stepFinish(part);
    else if (type === 'tool') return this.#tool(part, sessionId);
    return true;
  }

  /** The arguments of a pending call are not complete. */
  #tool(part: WireRecord, sessionId: string): boolean {
    const state = recordOf(part['state']);
    if (state?.['status'] === 'pending') return true;
    const isUnderstood = this.#options.run.readerOf(sessionId)?.tool(part) ?? false;
    const subagent = state === undefined ? undefined : readSubagent(state);
    if (subagent?.isBackground === true) this.#background.add(subagent.sessionId);
    this.#permissions.callReported();
    this.#questions.callReported();
    if (state !== undefined && this.#plans.take(part, state)) this.#look();
    return isUnderstood;
  }

  /** Looks for a question of the session that the server does not announce, until the turn ends or has it. */
  #look(): void {
    this.#after(lookMs, () =>
      this.#calls.get('/question', ({ body }) => {
        const asked = listOf(body)
          .map(recordOf)
          .filter(question => question !== undefined);
        const ours = asked.filter(question => question['sessionID'] === this.#options.run.sessionId);
        for (const question of ours) this.#questions.ask(question);
        if (ours.length === 0 && !this.#silence.isSilent) this.#look();
      }),
    );
  }

  #delta({ sessionID, messageID, partID, field, delta }: WireRecord): boolean {
    if (typeof delta !== 'string' || typeof partID !== 'string') return false;
    const type = this.#speech.get(partID);
    // The whole text follows with the end of the part.
    if (type === undefined || field !== 'text') return true;
    const reader = this.#options.run.readerOf(textOf(sessionID) ?? '');
    const part = { id: partID, messageID };
    if (reader !== undefined && !reader.isComplete(part)) reader.delta(type, part, delta);
    return true;
  }

  #status(sessionId: unknown, status: WireRecord | undefined): boolean {
    const { run } = this.#options;
    const type = status?.['type'];
    const runId = run.runIdOf(textOf(sessionId) ?? '');
    if (status === undefined) return false;
    if (type === 'retry' && runId !== undefined) {
      const message = textOf(status['message']) ?? 'The model call is tried again.';
      run.context.emit({ type: 'warning', runId, message, code: 'retry' });
    }
    if (sessionId !== run.sessionId || type === 'idle') return true;
    this.#silence.busy();
    // The prompt began only after the session was stopped.
    if (this.#isAborting && this.#isAbortSettled) this.#abort();
    return true;
  }

  #idle(sessionId: string | undefined): boolean {
    const { run } = this.#options;
    if (sessionId === undefined) return false;
    if (sessionId !== run.sessionId) {
      if (this.#background.delete(sessionId)) run.children.end(sessionId, 'complete');
      return true;
    }
    this.#silence.idle();
    return true;
  }

  #error(sessionId: string | undefined, error: unknown): boolean {
    const { run } = this.#options;
    const failure = readError(error);
    if (failure === undefined) return false;
    if (sessionId !== undefined && sessionId !== run.sessionId) {
      run.children.fail(sessionId, failure);
      return true;
    }
    if (failure.code === 'MessageAbortedError') this.#wasAborted = true;
    // A failure outside of an answer is reported twice, the second time as the place in the program.
    else if (run.context.failure === undefined || !/\n\s+at /.test(failure.message))
      run.context.fail({ ...failure, endsStep: true });
    this.#silence.settled();
    return true;
  }

  #reason(): 'complete' | 'error' | 'aborted' {
    const { failure } = this.#options.run.context;
    if (this.#isAborting || this.#wasAborted) return 'aborted';
    return failure !== undefined || !this.#silence.prompts.hasBegun ? 'error' : 'complete';
  }

  #end(reason: 'complete' | 'error' | 'aborted'): void {
    const { run, host, onEnd } = this.#options;
    if (this.#isEnding) return;
    this.#isEnding = true;
    run.children.flush();
    if (reason === 'error') run.context.close();
    for (const cancel of this.#cancels) cancel();
    const { unsent } = this.#silence.prompts;
    const open = [...this.#permissions.clear(), ...this.#questions.clear()];
    this.#later(() => {
      this.#hasEnded = true;
      for (const id of open) host.withdraw(id, 'The turn has ended.');
      onEnd();
      host.turnEnded({ reason, ...(unsent.length > 0 && { unsent }) });
    });
  }
}
