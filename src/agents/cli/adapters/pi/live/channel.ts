import { PendingCalls } from '../../../channels/pending-calls.ts';
import { RequestBook } from '../../../channels/request-book.ts';
import { SteeredMessages } from '../../../channels/steered-messages.ts';
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
import { resumeMark } from '../../../shared/resume-mark.ts';
import { promptParts, promptText } from '../../../shared/prompt-content.ts';
import { readCommands } from '../../../shared/reported-commands.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { isDialog, readDialog } from './dialogs.ts';
import { gateStatus, statusKey } from './gate.ts';
import { PiTurn } from './turn.ts';
import { defined } from '../../../../../base/defined.ts';

/** The answer to a command. */
type CommandAnswer = { readonly data: WireRecord } | { readonly error: string };

const idPrefix = 'singletree-';

/** The channel of `pi --mode rpc` with the extension that makes it ask. */
export class PiChannel extends TurnChannel<PiTurn> {
  readonly #commands = new PendingCalls<CommandAnswer>();
  readonly #dialogs: RequestBook<string>;
  #questions = 0;
  readonly #steered = new SteeredMessages();
  /** The steered messages that are in the queue of the program, which reads them with the next prompt. */
  readonly #queued = new Set<string>();
  /** Whether the program has emptied its queue. */
  #isCleared = false;
  #status: string | undefined;
  #session: { readonly id: string; readonly provider: string | undefined } | undefined;
  /** The slash commands of its extensions, prompt templates and skills. */
  #slashCommands: ReturnType<typeof readCommands> | undefined;
  #model: string | undefined;
  /** The run of the last turn. */
  #run: PiTurn | undefined;

  constructor(host: ChannelHost, start: LiveStart) {
    super(host, start);
    this.#model = start.model;
    this.#dialogs = new RequestBook(this.host);
  }

  protected connect(): void {
    this.#call('get_state', {}, answer => this.#opened(answer));
  }

  /** A dialog between turns is refused, so that the program does not wait. */
  protected takeBetweenTurns(message: unknown): boolean | 'refused' {
    const record = toRecord(message);
    if (record === undefined || this.#isHandled(record)) return record !== undefined;
    if (record['type'] !== 'extension_ui_request') return false;
    this.#respond(record['id'], undefined);
    return 'refused';
  }

  protected takeInTurn(turn: PiTurn, message: unknown): boolean {
    const record = toRecord(message);
    if (record === undefined) return false;
    if (this.#isHandled(record)) return true;
    if (record['type'] === 'extension_ui_request') return this.#dialog(turn, record);
    // Older versions answer an unknown command without its id.
    if (record['type'] === 'response') return record['command'] === 'clear_queue';
    const hadStarted = turn.hasStarted;
    turn.take(record);
    if (this.isInterrupted && !hadStarted && turn.hasStarted && this.turn === turn) this.#abort(turn);
    return true;
  }

  protected createTurn({ runId }: LiveTurn): PiTurn {
    if (this.#run?.runId === runId) this.#run.again();
    else this.#run = this.#newRun(runId);
    return this.#run;
  }

  protected sendPrompt(turn: PiTurn, { content, model }: LiveTurn): void {
    const images = promptParts(content).flatMap(part =>
      part.type === 'image' ? [{ type: 'image', data: part.data, mimeType: part.mediaType }] : [],
    );
    const message = promptText(content);
    const send = () => {
      const fields = { message, ...(images.length > 0 && { images }) };
      this.#call('prompt', fields, answer => this.#accepted(turn, { answer, message }));
    };
    if (model === undefined || model === this.#model) send();
    else this.#switchModel(turn, model, send);
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#dialogs.answer(requestId, answer);
  }

  protected sendMessage(_: PiTurn, { id, content }: SteerMessage): void {
    const message = promptText(content);
    this.#steered.add({ id, text: message });
    this.#call('steer', { message }, answer => {
      if ('data' in answer) this.#queued.add(id);
    });
  }

  protected stopTurn(turn: PiTurn): void {
    // A run that has not started would not notice it.
    if (turn.hasStarted) this.#abort(turn);
    // An open dialog holds up the end of the run; cancelled before the abort, it would let the model be asked again.
    this.#dialogs.cancelAll('The turn is being interrupted.');
  }

  protected finishTurn(turn: PiTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    turn.end.stop();
    this.#dialogs.cancelAll(reason === 'error' ? 'The program has ended.' : 'The turn is over.');
    turn.events.within(undefined, () => {
      // The failure of an interrupted run is the interrupt.
      if (reason === 'aborted') turn.events.context.forgive();
      turn.events.context.close();
    });
    const isFailed = turn.events.context.failure !== undefined;
    const unread = this.#steered.takeUnread();
    const kept = unread.filter(id => this.#queued.has(id) && !this.#isCleared);
    this.#queued.clear();
    this.#isCleared = false;
    if (reason === 'aborted') for (const id of kept) this.host.steered(id, 'joined');
    const unsent = reason === 'aborted' ? unread.filter(id => !kept.includes(id)) : unread;
    return { reason: isFailed ? 'error' : reason, ...(unsent.length > 0 && { unsent }) };
  }

  /** A program that ends immediately does not know the session to resume. */
  protected describeUnopened(): SessionProblem {
    const { sessionId } = this.start;
    if (sessionId === undefined) return { message: 'Pi ended before its session was open.', code: 'agent_failed' };
    return { message: `Pi cannot resume session "${sessionId}".`, code: 'session_unknown' };
  }

  #opened(answer: CommandAnswer): void {
    const data = 'data' in answer ? answer.data : {};
    const id = toText(data['sessionId']);
    const model = toRecord(data['model']);
    if (id === undefined) {
      const why = 'error' in answer ? answer.error : 'it reported no session';
      this.fail({ message: `Pi did not open a session: ${why}`, code: 'agent_failed' });
      return;
    }
    if (this.#status !== gateStatus(this.#asks)) {
      const message =
        'Pi did not load the extension that makes it ask before it acts. Look for the cause in its messages, or use ' +
        '--yolo to run without questions.';
      this.fail({ message, code: 'policy_not_accepted' });
      return;
    }
    this.#session = { id, provider: toText(model?.['provider']) };
    this.#call('get_commands', {}, listed => {
      const reported = 'data' in listed ? readCommands(listed.data['commands']) : [];
      if (reported.length > 0) this.#slashCommands = reported;
    });
    this.setReady({ sessionId: id, ...defined({ model: toText(model?.['id']) }) });
  }

  get #asks(): boolean {
    return this.start.yolo !== true;
  }

  #newRun(runId: string): PiTurn {
    const turn: PiTurn = new PiTurn(this.host, {
      runId,
      waitsForAnswer: this.#asks,
      resumeMark: resumeMark(this.start),
      ended: () => this.endTurn(turn, this.isInterrupted ? 'aborted' : 'complete'),
      heard: text => {
        const id = this.#steered.takeRead({ id: undefined, text });
        if (id !== undefined) this.host.steered(id, 'joined');
      },
    });
    return turn;
  }

  /** Handles what belongs to no turn: answers to our commands, and notes of extensions. */
  #isHandled(record: WireRecord): boolean {
    if (record['type'] === 'response') return this.#answered(record);
    if (record['type'] !== 'extension_ui_request' || isDialog(record)) return false;
    if (record['statusKey'] === statusKey) this.#status = toText(record['statusText']);
    return true;
  }

  #call(type: string, fields: object, done: (answer: CommandAnswer) => void): void {
    this.host.send(JSON.stringify({ id: `${idPrefix}${this.#commands.add(done)}`, type, ...fields }));
  }

  /** Handles a response; returns false when it answers no open command. */
  #answered({ id, success, data, error }: WireRecord): boolean {
    const number = typeof id === 'string' && id.startsWith(idPrefix) ? Number(id.slice(idPrefix.length)) : undefined;
    const answer =
      success === true ? { data: toRecord(data) ?? {} } : { error: toText(error) ?? 'The command failed.' };
    return this.#commands.settle(number, answer);
  }

  #dialog({ reader, runId }: PiTurn, record: WireRecord): boolean {
    const key = toText(record['id']);
    if (key !== undefined && this.#dialogs.has(key) && !this.isInterrupted) return false;
    const asked = key === undefined || this.isInterrupted ? undefined : readDialog(record, reader);
    if (key === undefined || asked === undefined) {
      this.#respond(key, undefined);
      return this.isInterrupted;
    }
    this.#dialogs.open({
      key,
      questions: [{ id: `request-${++this.#questions}`, runId, ...asked.question }],
      settle: ([answer]) => this.#respond(key, answer && asked.reply(answer)),
      cancel: () => {
        asked.decline?.();
        this.#respond(key, undefined);
      },
    });
    return true;
  }

  /** Answers a dialog; without fields it is cancelled, so that the program does not wait. */
  #respond(id: unknown, fields: object | undefined): void {
    if (toText(id) === undefined) return;
    this.host.send(JSON.stringify({ type: 'extension_ui_response', id, ...(fields ?? { cancelled: true }) }));
  }

  #switchModel(turn: PiTurn, model: string, switched: () => void): void {
    const slash = model.indexOf('/');
    const named =
      slash < 0
        ? { provider: this.#session?.provider, modelId: model }
        : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
    this.#call('set_model', named, answer => {
      if (this.turn !== turn) return;
      if ('error' in answer) this.#refuseTurn(turn, `Pi cannot use the model "${model}": ${answer.error}`);
      else {
        this.#model = model;
        switched();
      }
    });
  }

  #accepted(turn: PiTurn, { answer, message }: { answer: CommandAnswer; message: string }): void {
    const session = this.#session;
    if (this.turn !== turn || session === undefined) return;
    if ('error' in answer) {
      this.#refuseTurn(turn, `Pi did not accept the prompt: ${answer.error}`);
      return;
    }
    turn.events.context.session(session.id, { cwd: this.start.cwd, commands: this.#slashCommands });
    // A command of an extension may be done without a run.
    if (message.startsWith('/'))
      this.#call('get_state', {}, state => {
        const isIdle = 'data' in state && state.data['isStreaming'] === false;
        if (isIdle && this.turn === turn && !turn.hasStarted)
          this.endTurn(turn, this.isInterrupted ? 'aborted' : 'complete');
      });
  }

  #refuseTurn(turn: PiTurn, message: string): void {
    turn.events.context.fail({ message });
    this.endTurn(turn, 'error');
  }

  #abort(turn: PiTurn): void {
    if (this.#steered.size > 0)
      this.#call('clear_queue', {}, answer => {
        if ('data' in answer) this.#isCleared = true;
      });
    // If a run was active, the response follows its end.
    this.#call('abort', {}, () => {
      if (this.turn === turn) this.endTurn(turn, 'aborted');
    });
  }
}
