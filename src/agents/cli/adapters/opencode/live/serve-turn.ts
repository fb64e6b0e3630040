import type { ContentPart } from '../../../../../events/content.ts';
import type { ChannelHost, LiveAnswer, LiveTurn, LiveTurnEnd } from '../../../contract/live-channel.ts';
import type { ServeResponse } from '../../../contract/serve-message.ts';
import type { ChannelEvents } from '../../../shared/channel-events.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { readError, readSubagent } from '../wire.ts';
import { isConsumedEvent } from './consumed-events.ts';
import { type HttpCalls, type HttpRequests, isDone, responseProblem } from './http-calls.ts';
import { PlanFiles } from './plan-files.ts';
import { promptBody } from './prompt-body.ts';
import { ServeRequests } from './serve-requests.ts';
import type { ServeRun } from './serve-run.ts';
import { isComplete, type SessionBook } from './session-book.ts';
import { commandBody, type SlashCommands } from './slash-commands.ts';
import { TurnSilence } from './turn-silence.ts';

export interface ServeTurnOptions {
  readonly turn: LiveTurn;
  /** The number of the turn in the session. */
  readonly number: number;
  readonly run: ServeRun;
  readonly book: SessionBook;
  readonly calls: HttpCalls;
  /** The slash commands that a prompt may begin with. */
  readonly commands: SlashCommands;
  readonly host: ChannelHost;
  /** The program has ended the turn: `finish` is called for it. */
  readonly onEnd: (reason: TurnReason) => void;
}

type TurnReason = LiveTurnEnd['reason'];

/** The interval for polling questions that the server does not announce. */
const lookMs = 500;

type Handler = (properties: WireRecord) => boolean;

/** One turn over a server of OpenCode or Kilo Code: its events and requests. Call its methods within `run.events`. */
export class ServeTurn {
  readonly events: ChannelEvents;
  readonly #options: ServeTurnOptions;
  readonly #silence: TurnSilence;
  readonly #requests: ServeRequests;
  readonly #plans = new PlanFiles();
  /** Whether a part is text or reasoning, by its id, for the fragments of it. */
  readonly #speech = new Map<string, 'text' | 'reasoning'>();
  /** The sessions of subagents whose calls do not wait for them. */
  readonly #background = new Set<string>();
  readonly #cancels = new Set<() => void>();
  #mode: string | undefined;
  #isAborting = false;
  #isAbortSettled = false;
  #wasAborted = false;
  #hasEnded = false;

  constructor(options: ServeTurnOptions) {
    this.#options = options;
    const { run, host } = options;
    this.events = run.events;
    this.#mode = options.turn.mode;
    const after = (ms: number, callback: () => void) => this.#after(ms, callback);
    this.#silence = new TurnSilence({
      after,
      hasFailed: () => run.context.failure !== undefined,
      end: () => this.#end(),
    });
    this.#requests = new ServeRequests({
      run,
      host,
      after,
      say: text => this.prompt(text),
      calls: this.#calls,
      plans: this.#plans,
    });
  }

  /** The requests of the turn to the server: a response after its end does nothing. */
  readonly #calls: HttpRequests = {
    get: (path, onResponse) =>
      this.#options.calls.get(path, response => {
        if (!this.#hasEnded) onResponse(response);
      }),
    post: (path, body, onResponse) =>
      this.#options.calls.post(path, body, response => {
        if (!this.#hasEnded) onResponse?.(response);
      }),
    postTurn: (path, body, onResponse) =>
      this.#options.calls.postTurn(path, body, response => {
        if (!this.#hasEnded) onResponse(response);
      }),
  };

  /** Sends the prompt of the turn. */
  begin(): void {
    const { run, commands } = this.#options;
    run.context.session(run.sessionId, { commands: commands.length > 0 ? commands : undefined });
    this.prompt(this.#options.turn.content);
  }

  answer(requestId: string, answer: LiveAnswer): void {
    if (!this.#isAborting) this.#requests.answer(requestId, answer);
  }

  /** Stops the turn. Open requests get no answer; the server continues to list them. */
  interrupt(): void {
    this.#isAborting = true;
    this.#silence.stop();
    this.#abort();
  }

  /** Emits the remaining events of the turn, closes its requests and returns how it ended. */
  finish(reason: TurnReason): LiveTurnEnd {
    const { run } = this.#options;
    this.#hasEnded = true;
    run.children.flush();
    if (reason === 'error') run.context.close();
    for (const cancel of this.#cancels) cancel();
    run.events.flush();
    this.#requests.end();
    const { unsent } = this.#silence.prompts;
    return { reason, ...(unsent.length > 0 && { unsent }) };
  }

  #after(ms: number, callback: () => void): () => void {
    const cancel = this.#options.host.after(ms, () => {
      this.#cancels.delete(cancel);
      if (!this.#hasEnded) this.#options.run.events.within(undefined, callback);
    });
    this.#cancels.add(cancel);
    return cancel;
  }

  /** Sends the prompt of the turn, or a message into it. */
  prompt(content: string | readonly ContentPart[], steerId?: string): void {
    const { turn, run, commands } = this.#options;
    const sent = this.#silence.prompts.add(steerId);
    const settings = { model: turn.model, mode: this.#mode };
    const refused = (response: ServeResponse) => {
      sent.fail();
      if (sent.isFirst)
        run.context.fail({ message: `The prompt was refused: ${responseProblem(response)}`, code: 'prompt_refused' });
      this.#silence.settled();
    };
    const session = `/session/${run.sessionId}`;
    const command = commandBody(content, commands, settings);
    if (command === undefined)
      this.#calls.post(`${session}/prompt_async`, promptBody(content, settings), response => {
        if (!isDone(response)) refused(response);
      });
    // A failure after the prompt was read is an event of the session, too.
    else
      this.#calls.postTurn(`${session}/command`, command, response => {
        if (!isDone(response) && !this.#silence.prompts.hasBegun) refused(response);
      });
  }

  #abort(): void {
    this.#isAbortSettled = false;
    this.#calls.post(`/session/${this.#options.run.sessionId}/abort`, {}, () => {
      this.#isAbortSettled = true;
      this.#silence.settled();
    });
  }

  /** Handles one event of the server; returns false when it is not understood. */
  take(event: unknown): boolean {
    const { book } = this.#options;
    const record = toRecord(event);
    const type = toText(record?.['type']);
    if (record === undefined || type === undefined) return false;
    if (isConsumedEvent(type)) return true;
    const properties = toRecord(record['properties']);
    if (properties === undefined || !Object.hasOwn(this.#on, type)) return false;
    return !book.isNews(record) || (this.#on[type] as Handler)(properties);
  }

  /** The handlers of events; each returns false when the event is not understood. */
  readonly #on: Readonly<Record<string, Handler>> = {
    'session.created': ({ info }) => {
      const session = toRecord(info);
      if (session !== undefined) this.#options.book.addSession(session);
      return session !== undefined;
    },
    'message.updated': ({ info }) => this.#message(toRecord(info)),
    'message.part.updated': ({ part }) => this.#part(toRecord(part)),
    'message.part.delta': properties => this.#delta(properties),
    'session.status': ({ sessionID, status }) => this.#status(sessionID, toRecord(status)),
    'session.idle': ({ sessionID }) => this.#idle(toText(sessionID)),
    'session.error': ({ sessionID, error }) => this.#error(toText(sessionID), error),
    'permission.asked': properties => this.#isAborting || this.#requests.askPermission(properties),
    'permission.replied': ({ requestID }) => this.#replied(requestID),
    'question.asked': properties => this.#isAborting || this.#requests.askQuestions(properties),
    'question.replied': ({ requestID }) => this.#replied(requestID),
    'question.rejected': ({ requestID }) => this.#replied(requestID),
  };

  #replied(requestId: unknown): boolean {
    this.#requests.replied(toText(requestId) ?? '');
    return toText(requestId) !== undefined;
  }

  #message(info: WireRecord | undefined): boolean {
    const { book, number, run } = this.#options;
    const id = toText(info?.['id']);
    if (info === undefined || id === undefined) return false;
    const message = book.addMessage(info, number);
    if (typeof message === 'string' || message.turn !== number || info['sessionID'] !== run.sessionId) return true;
    for (const steered of this.#silence.prompts.taken(toText(info['parentID']) ?? ''))
      this.#options.host.steered(steered, 'joined');
    this.#mode = toText(info['agent']) ?? this.#mode;
    this.#silence.answer(id, isComplete(info));
    return true;
  }

  #part(part: WireRecord | undefined): boolean {
    const { book, number, run } = this.#options;
    const [id, messageId, sessionId, type] = ['id', 'messageID', 'sessionID', 'type'].map(name => toText(part?.[name]));
    if (part === undefined || id === undefined || messageId === undefined || sessionId === undefined) return false;
    const message = book.messages.get(messageId);
    if (message === 'person' && sessionId === run.sessionId && part['synthetic'] !== true)
      this.#silence.prompts.seen(messageId);
    // Parts of earlier turns change later, as when old outputs are dropped.
    if (typeof message !== 'object' || message.turn !== number) return true;
    const reader = run.findReader(sessionId);
    if (reader === undefined || reader.isComplete(part)) return true;
    if (type === 'text' || type === 'reasoning') {
      this.#speech.set(id, type);
      return reader.speech(type, part, toRecord(part['time'])?.['end'] !== undefined);
    }
    if (type === 'step-start') reader.stepStart(part);
    else if (type === 'step-finish') reader.stepFinish(part);
    else if (type === 'tool') return this.#tool(part, sessionId);
    return true;
  }

  /** The arguments of a pending call are not complete. */
  #tool(part: WireRecord, sessionId: string): boolean {
    const state = toRecord(part['state']);
    if (state?.['status'] === 'pending') return true;
    const isUnderstood = this.#options.run.findReader(sessionId)?.tool(part) ?? false;
    const subagent = state === undefined ? undefined : readSubagent(state);
    if (subagent?.isBackground === true) this.#background.add(subagent.sessionId);
    this.#requests.callReported();
    if (state !== undefined && this.#plans.take(part, state)) this.#look();
    return isUnderstood;
  }

  /** Looks for a question of the session that the server does not announce, until the turn ends or has it. */
  #look(): void {
    this.#after(lookMs, () =>
      this.#calls.get('/question', ({ body }) => {
        const asked = toList(body)
          .map(toRecord)
          .filter(question => question !== undefined);
        const ours = asked.filter(question => question['sessionID'] === this.#options.run.sessionId);
        for (const question of ours) this.#requests.askQuestions(question);
        if (ours.length === 0 && !this.#silence.isSilent) this.#look();
      }),
    );
  }

  #delta({ sessionID, messageID, partID, field, delta }: WireRecord): boolean {
    if (typeof delta !== 'string' || typeof partID !== 'string') return false;
    const type = this.#speech.get(partID);
    // The whole text follows with the end of the part.
    if (type === undefined || field !== 'text') return true;
    const reader = this.#options.run.findReader(toText(sessionID) ?? '');
    const part = { id: partID, messageID };
    if (reader !== undefined && !reader.isComplete(part)) reader.delta(type, part, delta);
    return true;
  }

  #status(sessionId: unknown, status: WireRecord | undefined): boolean {
    const { run } = this.#options;
    const type = status?.['type'];
    const runId = run.findRunId(toText(sessionId) ?? '');
    if (status === undefined) return false;
    if (type === 'retry' && runId !== undefined) {
      const message = toText(status['message']) ?? 'The model call is tried again.';
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

  #end(): void {
    const { run, onEnd } = this.#options;
    const isFailed = run.context.failure !== undefined || !this.#silence.prompts.hasBegun;
    if (this.#hasEnded) return;
    onEnd(this.#isAborting || this.#wasAborted ? 'aborted' : isFailed ? 'error' : 'complete');
  }
}
