import { type SessionProblem, type SteerMessage, TurnChannel } from '../../../channels/turn-channel.ts';
import type { ChannelHost, LiveAnswer, LiveStart, LiveTurn, LiveTurnEnd } from '../../../contract/live-channel.ts';
import { resumeMark } from '../../../shared/resume-mark.ts';
import { promptParts, promptText } from '../../../shared/prompt-content.ts';
import { readCommands } from '../../../shared/reported-commands.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { type CommandAnswer, PiCommands } from './commands.ts';
import { isDialog, PiDialogs } from './dialogs.ts';
import { gateStatus, statusKey } from './gate.ts';
import { PiSteering } from './steering.ts';
import { PiTurn } from './turn.ts';
import { defined } from '../../../../../base/defined.ts';

/** The channel of `pi --mode rpc` with the extension that makes it ask. */
export class PiChannel extends TurnChannel<PiTurn> {
  readonly #commands: PiCommands;
  readonly #dialogs: PiDialogs;
  readonly #steering = new PiSteering();
  /** Dialogs that were refused because no turn was open. */
  readonly #refused = new WeakSet<WireRecord>();
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
    this.#commands = new PiCommands(message => host.send(message));
    this.#dialogs = new PiDialogs(host);
  }

  protected connect(): void {
    this.#commands.call('get_state', {}, answer => this.#opened(answer));
  }

  protected take(message: unknown, number: number): boolean {
    const { turn } = this;
    if (turn === undefined) return this.#takeBetweenTurns(message);
    turn.events.within(number, () => this.#takeInTurn(turn, message));
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
      this.#commands.call('prompt', fields, answer => this.#accepted(turn, { answer, message }));
    };
    if (model === undefined || model === this.#model) send();
    else this.#switchModel(turn, model, send);
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#dialogs.answer(requestId, answer);
  }

  protected sendMessage(_: PiTurn, { id, content }: SteerMessage): void {
    const message = promptText(content);
    this.#steering.add(id, message);
    this.#commands.call('steer', { message }, answer => {
      if ('data' in answer) this.#steering.queued(id);
    });
  }

  protected stopTurn(turn: PiTurn): void {
    // A run that has not started would not notice it.
    if (turn.hasStarted) this.#abort(turn);
    // An open dialog holds up the end of the run; cancelled before the abort, it would let the model be asked again.
    this.#dialogs.cancel('The turn is being interrupted.');
  }

  protected finishTurn(turn: PiTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    turn.end.stop();
    this.#dialogs.cancel(reason === 'error' ? 'The program has ended.' : 'The turn is over.');
    turn.events.within(undefined, () => {
      // The failure of an interrupted run is the interrupt.
      if (reason === 'aborted') turn.events.context.forgive();
      turn.events.context.close();
    });
    const isFailed = turn.events.context.failure !== undefined;
    const { kept, unsent } = this.#steering.take();
    if (reason === 'aborted') for (const id of kept) this.host.steered(id, 'joined');
    const left = reason === 'aborted' ? unsent : [...kept, ...unsent];
    return { reason: isFailed ? 'error' : reason, ...(left.length > 0 && { unsent: left }) };
  }

  /** A program that ends at once does not know the session that it was to resume. */
  protected describeUnopened(): SessionProblem {
    const { sessionId } = this.start;
    if (sessionId === undefined) return { message: 'Pi ended before its session was open.', code: 'agent_failed' };
    return { message: `Pi cannot resume session "${sessionId}".`, code: 'session_unknown' };
  }

  #opened(answer: CommandAnswer): void {
    const data = 'data' in answer ? answer.data : {};
    const id = textOf(data['sessionId']);
    const model = recordOf(data['model']);
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
    this.#session = { id, provider: textOf(model?.['provider']) };
    this.#commands.call('get_commands', {}, listed => {
      const reported = 'data' in listed ? readCommands(listed.data['commands']) : [];
      if (reported.length > 0) this.#slashCommands = reported;
    });
    this.setReady({ sessionId: id, ...defined({ model: textOf(model?.['id']) }) });
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
        const id = this.#steering.heard(text);
        if (id !== undefined) this.host.steered(id, 'joined');
      },
    });
    return turn;
  }

  /** A dialog between turns is refused, so that the program does not wait; it is shown as unknown in the next turn. */
  #takeBetweenTurns(message: unknown): boolean {
    const record = recordOf(message);
    if (record === undefined || this.#isHandled(record)) return record !== undefined;
    // One that waited for a turn which has ended meanwhile was refused before.
    if (record['type'] === 'extension_ui_request' && !this.#refused.has(record)) {
      this.#dialogs.refuse(record);
      this.#refused.add(record);
    }
    return false;
  }

  #takeInTurn(turn: PiTurn, message: unknown): void {
    const record = recordOf(message);
    if (record === undefined) turn.events.context.unknown(message);
    else if (this.#isHandled(record)) return;
    else if (record['type'] === 'extension_ui_request') this.#dialog(turn, record);
    else if (record['type'] !== 'response') this.#takeRecord(turn, record);
    // Older versions answer an unknown command without its id.
    else if (record['command'] !== 'clear_queue') turn.events.context.unknown(message);
  }

  /** Handles what belongs to no turn: answers to our commands, and notes of extensions. */
  #isHandled(record: WireRecord): boolean {
    if (record['type'] === 'response') return this.#commands.settle(record);
    if (record['type'] !== 'extension_ui_request' || isDialog(record)) return false;
    if (record['statusKey'] === statusKey) this.#status = textOf(record['statusText']);
    return true;
  }

  #takeRecord(turn: PiTurn, record: WireRecord): void {
    const hadStarted = turn.hasStarted;
    try {
      turn.take(record);
    } catch {
      // Nothing is lost: what is not understood is kept.
      turn.events.context.unknown(record);
    }
    if (this.isInterrupted && !hadStarted && turn.hasStarted && this.turn === turn) this.#abort(turn);
  }

  #dialog({ reader, runId, events }: PiTurn, record: WireRecord): void {
    if (this.#refused.has(record)) events.context.unknown(record);
    else if (this.isInterrupted) this.#dialogs.refuse(record);
    else if (!this.#dialogs.receive(record, { reader, runId, flush: () => events.flush() }))
      events.context.unknown(record);
  }

  #switchModel(turn: PiTurn, model: string, switched: () => void): void {
    const slash = model.indexOf('/');
    const named =
      slash < 0
        ? { provider: this.#session?.provider, modelId: model }
        : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
    this.#commands.call('set_model', named, answer => {
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
      this.#commands.call('get_state', {}, state => {
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
    if (this.#steering.size > 0)
      this.#commands.call('clear_queue', {}, answer => {
        if ('data' in answer) this.#steering.cleared();
      });
    // The answer comes after the end of the run, if there was one to stop.
    this.#commands.call('abort', {}, () => {
      if (this.turn === turn) this.endTurn(turn, 'aborted');
    });
  }
}
