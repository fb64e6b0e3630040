import type { ChannelHost, LiveAnswer, LiveChannel, LiveStart, LiveTurn } from '../../../contract/live-channel.ts';
import { resumeMark } from '../../../shared/resume-mark.ts';
import { promptParts, promptText } from '../../../shared/prompt-content.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { type CommandAnswer, PiCommands } from './commands.ts';
import { isDialog, PiDialogs } from './dialogs.ts';
import { gateStatus, statusKey } from './gate.ts';
import { PiSteering } from './steering.ts';
import { PiTurn } from './turn.ts';
import { defined } from '../../../../../events/defined.ts';

type SteerMessage = Parameters<LiveChannel['steer']>[0];

/** Lines that arrive before the first turn, at most. */
const mostEarly = 1_000;

/** The channel of `pi --mode rpc` with the extension that makes it ask. */
export class PiChannel implements LiveChannel {
  readonly #host: ChannelHost;
  readonly #start: LiveStart;
  readonly #commands: PiCommands;
  readonly #dialogs: PiDialogs;
  readonly #steering = new PiSteering();
  readonly #early: { readonly value: unknown; readonly number: number; readonly isRefused: boolean }[] = [];
  #status: string | undefined;
  #session: { readonly id: string; readonly provider: string | undefined } | undefined;
  #model: string | undefined;
  #turn: PiTurn | undefined;
  /** The run of the last turn. */
  #run: PiTurn | undefined;
  #isInterrupted = false;
  #isClosed = false;

  constructor(host: ChannelHost, start: LiveStart) {
    this.#host = host;
    this.#start = start;
    this.#model = start.model;
    this.#commands = new PiCommands(message => host.send(message));
    this.#dialogs = new PiDialogs(host);
  }

  open(): void {
    this.#commands.call('get_state', {}, answer => this.#opened(answer));
  }

  receive(line: string, number: number): void {
    if (this.#isClosed || line.trim() === '') return;
    const value = parse(line);
    if (this.#turn === undefined) this.#receive(value, number);
    else this.#turn.events.within(number, () => this.#receive(value, number));
  }

  prompt({ runId, content, model }: LiveTurn): void {
    const session = this.#session;
    if (session === undefined || this.#turn !== undefined || this.#isClosed) return;
    this.#isInterrupted = false;
    const turn = this.#turnOf(runId);
    this.#turn = turn;
    this.#run = turn;
    const images = promptParts(content).flatMap(part =>
      part.type === 'image' ? [{ type: 'image', data: part.data, mimeType: part.mediaType }] : [],
    );
    const message = promptText(content);
    const send = () => {
      const fields = { message, ...(images.length > 0 && { images }) };
      this.#commands.call('prompt', fields, answer => this.#accepted(turn, { answer, message }));
    };
    if (model === undefined || model === this.#model) send();
    else this.#switchModel(turn, model, { provider: session.provider, switched: send });
    for (const early of this.#early.splice(0))
      turn.events.within(early.number, () => {
        if (early.isRefused) turn.events.context.unknown(early.value);
        else this.#receive(early.value, early.number);
      });
  }

  answer(requestId: string, answer: LiveAnswer): void {
    if (!this.#isClosed) this.#dialogs.answer(requestId, answer);
  }

  steer({ id, content }: SteerMessage): void {
    if (this.#turn === undefined || this.#isClosed) return;
    const message = promptText(content);
    this.#steering.add(id, message);
    this.#commands.call('steer', { message }, answer => {
      if ('data' in answer) this.#steering.queued(id);
    });
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined || this.#isClosed || this.#isInterrupted) return;
    this.#isInterrupted = true;
    // A run that has not started would not notice it.
    if (turn.hasStarted) this.#abort(turn);
    // An open dialog holds up the end of the run; cancelled before the abort, it would let the model be asked again.
    this.#dialogs.cancel('The turn is being interrupted.');
  }

  closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    if (this.#turn !== undefined) this.#end(this.#turn, this.#isInterrupted ? 'aborted' : 'error');
    else if (this.#session === undefined) this.#host.failed(this.#notOpened());
  }

  /** A program that ends at once does not know the session that it was to resume. */
  #notOpened(): { message: string; code: string } {
    const { sessionId } = this.#start;
    if (sessionId === undefined) return { message: 'Pi ended before its session was open.', code: 'agent_failed' };
    return { message: `Pi cannot resume session "${sessionId}".`, code: 'session_unknown' };
  }

  #opened(answer: CommandAnswer): void {
    const data = 'data' in answer ? answer.data : {};
    const id = textOf(data['sessionId']);
    const model = recordOf(data['model']);
    if (id === undefined) {
      const why = 'error' in answer ? answer.error : 'it reported no session';
      this.#host.failed({ message: `Pi did not open a session: ${why}`, code: 'agent_failed' });
      return;
    }
    if (this.#status !== gateStatus(this.#asks)) {
      const message =
        'Pi did not load the extension that makes it ask before it acts. Look for the cause in its messages, or use ' +
        '--yolo to run without questions.';
      this.#host.failed({ message, code: 'policy_not_accepted' });
      return;
    }
    this.#session = { id, provider: textOf(model?.['provider']) };
    this.#host.ready({ sessionId: id, ...defined({ model: textOf(model?.['id']) }) });
  }

  get #asks(): boolean {
    return this.#start.yolo !== true;
  }

  #turnOf(runId: string): PiTurn {
    if (this.#run?.runId === runId) {
      this.#run.again();
      return this.#run;
    }
    const turn: PiTurn = new PiTurn(this.#host, {
      runId,
      waitsForAnswer: this.#asks,
      resumeMark: resumeMark(this.#start),
      ended: () => {
        if (this.#turn === turn) this.#end(turn, this.#isInterrupted ? 'aborted' : 'complete');
      },
      heard: text => {
        const id = this.#steering.heard(text);
        if (id !== undefined) this.#host.steered(id, 'joined');
      },
    });
    return turn;
  }

  #receive(value: unknown, number: number): void {
    const record = recordOf(value);
    const type = record?.['type'];
    if (record !== undefined && type === 'response' && this.#commands.settle(record)) return;
    if (record !== undefined && type === 'extension_ui_request') this.#dialog(record, number);
    else if (this.#turn === undefined) this.#keep(value, number, false);
    else if (record === undefined || type === 'response') {
      // Older versions answer an unknown command without its id.
      if (record?.['command'] !== 'clear_queue') this.#turn.events.context.unknown(value);
    } else this.#take(this.#turn, record);
  }

  #take(turn: PiTurn, record: WireRecord): void {
    const hadStarted = turn.hasStarted;
    try {
      turn.take(record);
    } catch {
      turn.events.context.unknown(record);
    }
    if (this.#isInterrupted && !hadStarted && turn.hasStarted && this.#turn === turn) this.#abort(turn);
  }

  #dialog(record: WireRecord, number: number): void {
    if (!isDialog(record)) {
      if (record['statusKey'] === statusKey) this.#status = textOf(record['statusText']);
      return;
    }
    const turn = this.#turn;
    if (turn === undefined || this.#isInterrupted) {
      this.#dialogs.refuse(record);
      if (turn === undefined) this.#keep(record, number, true);
      return;
    }
    const { reader, runId, events } = turn;
    if (!this.#dialogs.receive(record, { reader, runId, flush: () => events.flush() })) events.context.unknown(record);
  }

  #keep(value: unknown, number: number, isRefused: boolean): void {
    this.#early.push({ value, number, isRefused });
    if (this.#early.length > mostEarly) this.#early.shift();
  }

  #switchModel(
    turn: PiTurn,
    model: string,
    { provider, switched }: { provider: string | undefined; switched: () => void },
  ): void {
    const slash = model.indexOf('/');
    const named =
      slash < 0 ? { provider, modelId: model } : { provider: model.slice(0, slash), modelId: model.slice(slash + 1) };
    this.#commands.call('set_model', named, answer => {
      if (this.#turn !== turn) return;
      if ('error' in answer) this.#refused(turn, `Pi cannot use the model "${model}": ${answer.error}`);
      else {
        this.#model = model;
        switched();
      }
    });
  }

  #accepted(turn: PiTurn, { answer, message }: { answer: CommandAnswer; message: string }): void {
    const session = this.#session;
    if (this.#turn !== turn || session === undefined) return;
    if ('error' in answer) {
      this.#refused(turn, `Pi did not accept the prompt: ${answer.error}`);
      return;
    }
    turn.events.context.session(session.id, { cwd: this.#start.cwd });
    // A command of an extension may be done without a run.
    if (message.startsWith('/'))
      this.#commands.call('get_state', {}, state => {
        const isIdle = 'data' in state && state.data['isStreaming'] === false;
        if (isIdle && this.#turn === turn && !turn.hasStarted)
          this.#end(turn, this.#isInterrupted ? 'aborted' : 'complete');
      });
  }

  #refused(turn: PiTurn, message: string): void {
    turn.events.context.fail({ message });
    this.#end(turn, 'error');
  }

  #abort(turn: PiTurn): void {
    if (this.#steering.size > 0)
      this.#commands.call('clear_queue', {}, answer => {
        if ('data' in answer) this.#steering.cleared();
      });
    // The answer comes after the end of the run, if there was one to stop.
    this.#commands.call('abort', {}, () => {
      if (this.#turn === turn) this.#end(turn, 'aborted');
    });
  }

  #end(turn: PiTurn, reason: 'complete' | 'aborted' | 'error'): void {
    this.#turn = undefined;
    turn.end.stop();
    this.#dialogs.cancel(reason === 'error' ? 'The program has ended.' : 'The turn is over.');
    turn.events.within(undefined, () => {
      // The failure of an interrupted run is the interrupt.
      if (reason === 'aborted') turn.events.context.forgive();
      turn.events.context.close();
    });
    const isFailed = turn.events.context.failure !== undefined;
    const { kept, unsent } = this.#steering.take();
    if (reason === 'aborted') for (const id of kept) this.#host.steered(id, 'joined');
    const left = reason === 'aborted' ? unsent : [...kept, ...unsent];
    this.#host.turnEnded({ reason: isFailed ? 'error' : reason, ...(left.length > 0 && { unsent: left }) });
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}
