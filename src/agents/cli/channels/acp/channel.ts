import type {
  ChannelHost,
  LiveAnswer,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
  SessionProblem,
  SteerMessage,
} from '../../contract/live-channel.ts';
import { ChannelEvents } from '../../shared/channel-events.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { readCommands } from '../../shared/reported-commands.ts';
import { resumeMark } from '../../shared/resume-mark.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { type RpcAnswer, RpcConnection, type RpcId, type RpcMessage, toRpcId } from '../json-rpc.ts';
import { TurnChannel } from '../turn-channel.ts';
import type { MessageNumbers } from './messages.ts';
import { openSession } from './open-session.ts';
import type { AcpProfile } from './profile.ts';
import { promptBlocks } from './prompt-blocks.ts';
import type { AcpRequest } from './request.ts';
import { AcpRequests } from './requests.ts';
import { SessionSettings } from './session-settings.ts';
import { type AcpSteering, NextPromptSteering } from './steering.ts';
import { AcpTurn } from './turn.ts';
import { defined } from '../../../../base/defined.ts';
import type { EventOf } from '../../../../events/vocabulary.ts';

interface OpenTurn {
  readonly events: ChannelEvents;
  readonly reader: AcpTurn;
  isPrompted: boolean;
}

const turnEnded = 'The turn has ended.';
const noLongerWaits = 'The agent no longer waits for the answer.';

/** The channel of a program that speaks the Agent Client Protocol over its standard input and output. */
export class AcpChannel extends TurnChannel<OpenTurn> {
  readonly #profile: AcpProfile;
  readonly #rpc: RpcConnection;
  readonly #settings: SessionSettings;
  readonly #requests: AcpRequests;
  readonly #steering: AcpSteering;
  readonly #totals: SessionUsage | undefined;
  readonly #ids: { readonly calls: OpenCalls; readonly messages: MessageNumbers };
  /** The requests of the program that have no answer. */
  readonly #open = new Map<RpcId, AcpRequest>();
  /** Updates between turns that were observed and are shown in the next turn. */
  readonly #seen = new WeakSet<WireRecord>();
  /** Problems between turns, for the next one. */
  readonly #warnings: SessionProblem[] = [];
  #accepts = { images: false, files: false };
  /** The slash commands that the program reported last. */
  #commands: EventOf<'session'>['commands'] | undefined;
  /** Called when the history of a loaded session is over, for programs that send it after their answer. */
  #historyOver: (() => void) | undefined;

  constructor(profile: AcpProfile, host: ChannelHost, start: LiveStart) {
    super(host, start);
    const isYolo = start.yolo === true;
    const sessionId = () => this.#settings.sessionId;
    this.#profile = profile;
    this.#ids = { calls: new OpenCalls(), messages: { counts: new Map(), mark: resumeMark(start) } };
    this.#rpc = new RpcConnection(message => host.send(message), { jsonrpc: '2.0' });
    this.#settings = new SessionSettings({ rpc: this.#rpc, profile, start });
    const session = () => ({ sessionId: sessionId(), environment: start.environment });
    this.#requests = new AcpRequests({ host: this.host, profile, isYolo, session });
    const channel = { rpc: this.#rpc, host: this.host, sessionId };
    this.#steering = profile.steering?.(channel) ?? new NextPromptSteering(channel);
    // A process counts from its start, also when it has loaded a session.
    this.#totals = profile.countsProcess === true ? new SessionUsage({ inputTokens: 0, outputTokens: 0 }) : undefined;
  }

  protected connect(): void {
    openSession({
      rpc: this.#rpc,
      profile: this.#profile,
      start: this.start,
      settings: this.#settings,
      host: this.host,
      untilHistoryOver: proceed => (this.#historyOver = proceed),
      opened: accepts => {
        this.#accepts = accepts;
        const { reportedId: sessionId, modelName: model, mode } = this.#settings;
        this.setReady({ sessionId, ...defined({ model, mode }) });
      },
      failed: problem => this.fail(problem),
      warned: problem => this.#warnings.push(problem),
    });
  }

  /** A request between turns is refused, so that the program does not wait. */
  protected takeBetweenTurns(value: unknown): boolean | 'refused' {
    const message = this.#read(value);
    if (message === 'answer') return true;
    if (message === undefined || this.#seen.has(message.record)) return false;
    if (message.id !== undefined) {
      const request = this.#receive(message.id, message);
      if (this.#steering.take?.(request) === true) return true;
      refuse(request);
      return this.#isIgnored(message) || 'refused';
    }
    const update = readUpdate(message);
    if (update === undefined) return this.#isIgnored(message);
    this.#observe(update, message);
    this.#seen.add(message.record);
    // Before the session is open, updates repeat its history; later, notes about the session itself belong to no turn.
    if (!this.isOpening) return this.#isOurs(message) && sessionNotes.has(update['sessionUpdate']);
    if (update['sessionUpdate'] === 'available_commands_update') this.#historyOver?.();
    return true;
  }

  protected takeInTurn(turn: OpenTurn, value: unknown): boolean {
    const message = this.#read(value);
    if (message === 'answer') return true;
    if (message === undefined) return false;
    if (message.id !== undefined) return this.#takeRequest(turn, this.#receive(message.id, message));
    const update = readUpdate(message);
    if (update === undefined) return this.#isIgnored(message) || this.#isWithdrawal(message);
    if (!this.#seen.has(message.record)) this.#observe(update, message);
    return this.#isOurs(message) && turn.reader.update(update);
  }

  protected createTurn({ runId, model }: LiveTurn): OpenTurn {
    const events = new ChannelEvents(this.host, runId);
    const used = model ?? this.start.model ?? this.#settings.modelName;
    const reader = new AcpTurn({
      context: events.context,
      profile: this.#profile,
      model: used,
      ids: this.#ids,
      totals: this.#totals,
    });
    events.within(undefined, () => {
      events.context.session(this.#settings.reportedId, {
        cwd: this.start.cwd,
        model: used,
        commands: this.#commands,
      });
      for (const problem of this.#warnings.splice(0)) events.context.emit({ type: 'warning', ...problem });
    });
    return { events, reader, isPrompted: false };
  }

  protected sendPrompt(turn: OpenTurn, { content, model, mode }: LiveTurn): void {
    this.#settings.apply({ mode, model: model ?? this.start.model }, problem => {
      if (this.turn !== turn) return;
      if (problem !== undefined) return this.#end(turn, { error: problem });
      if (this.isInterrupted) return this.#end(turn, { result: { stopReason: 'cancelled' } });
      turn.isPrompted = true;
      const prompt = promptBlocks(content, this.#accepts);
      this.#rpc.call('session/prompt', { sessionId: this.#settings.sessionId, prompt }, answer => {
        if (this.turn === turn) this.#end(turn, answer);
      });
    });
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    this.#requests.book.answer(requestId, answer);
  }

  protected sendMessage(_: OpenTurn, { id, content }: SteerMessage): void {
    this.#steering.steer(id, promptBlocks(content, this.#accepts));
  }

  protected stopTurn({ isPrompted }: OpenTurn): void {
    if (isPrompted) this.#rpc.notify('session/cancel', { sessionId: this.#settings.sessionId });
    this.#requests.book.cancelAll();
  }

  protected finishTurn({ events, reader }: OpenTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    events.within(undefined, () => {
      this.#requests.book.cancelAll(this.isClosed ? noLongerWaits : turnEnded);
      reader.flush();
    });
    const unsent = this.#steering.end();
    return { reason, ...(unsent.length > 0 && { unsent }) };
  }

  protected describeUnopened(): SessionProblem {
    return { message: `${this.#profile.name} ended before its session was open.`, code: 'exit_code' };
  }

  #end(turn: OpenTurn, answer: RpcAnswer): void {
    // A program may end an interrupted turn with an error.
    const isStopped = answer.error !== undefined && this.isInterrupted;
    this.#requests.book.cancelAll(turnEnded);
    const reason = turn.reader.end(isStopped ? { result: { stopReason: 'cancelled' } } : answer);
    this.endTurn(turn, this.isInterrupted ? 'aborted' : reason);
  }

  #takeRequest(turn: OpenTurn, request: AcpRequest): boolean {
    const { method } = request;
    if (this.#steering.take?.(request) === true) return true;
    if (this.#isIgnored(request) || !this.#isOurs(request)) {
      refuse(request, this.#isIgnored(request) ? undefined : 'Unknown session');
      return this.#isIgnored(request);
    }
    // An interrupted turn asks no further questions.
    if (!this.isInterrupted && method === 'session/request_permission')
      return this.#requests.permission(request, turn.reader);
    if (!this.isInterrupted && method === 'elicitation/create')
      return this.#requests.elicitation(request, turn.events.context.runId);
    refuse(request);
    return false;
  }

  /** Returns the message of a line; undefined when it is none, or a request whose id is in use. */
  #read(value: unknown): RpcMessage | 'answer' | undefined {
    const record = toRecord(value);
    const message = record?.['jsonrpc'] === '2.0' ? this.#rpc.read(record) : undefined;
    const isRepeated = typeof message === 'object' && message.id !== undefined && this.#open.has(message.id);
    return isRepeated ? undefined : message;
  }

  #receive(id: RpcId, { method, params }: RpcMessage): AcpRequest {
    const once = (send: () => void) => {
      if (this.#open.delete(id) && !this.isOver) send();
    };
    const request: AcpRequest = {
      method,
      params,
      respond: result => once(() => this.#rpc.respond(id, result)),
      refuse: (code, message) => once(() => this.#rpc.refuse(id, code, message)),
    };
    this.#open.set(id, request);
    return request;
  }

  #isIgnored({ method }: { readonly method: string }): boolean {
    return this.#profile.ignored?.has(method) === true;
  }

  #isOurs({ params }: { readonly params: WireRecord }): boolean {
    return params['sessionId'] === this.#settings.sessionId;
  }

  #isWithdrawal({ method, params }: RpcMessage): boolean {
    const request = this.#open.get(toRpcId(params['requestId']) ?? '');
    if (method !== '$/cancel_request') return false;
    if (request !== undefined) this.#requests.book.cancel(request, noLongerWaits);
    return true;
  }

  /** Keeps track of the settings; a mode that lets calls run unasked is taken back. */
  #observe(update: WireRecord, message: RpcMessage): void {
    if (!this.isOpening && !this.#isOurs(message)) return;
    if (!this.isOpening) this.#steering.observe?.(update);
    const before = this.#settings.mode;
    const text = toText(toRecord(update['content'])?.['text']);
    if (update['sessionUpdate'] === 'available_commands_update')
      this.#commands = readCommands(update['availableCommands']);
    const inText = text === undefined ? undefined : this.#profile.modeIn?.(text);
    if (update['sessionUpdate'] === 'current_mode_update')
      this.#settings.mode = toText(update['currentModeId']) ?? before;
    else if (update['sessionUpdate'] === 'config_option_update') this.#settings.readOptions(update['configOptions']);
    else if (inText !== undefined) this.#settings.mode = inText;
    const { mode } = this.#settings;
    if (this.isOpening || mode === undefined || mode === before || !this.#settings.isUnsafe(mode)) return;
    const problem = {
      message: `${this.#profile.name} switched to the mode "${mode}", which does not ask. It is switched back.`,
      code: 'mode_changed',
    };
    if (this.turn === undefined) this.#warnings.push(problem);
    else this.turn.events.context.emit({ type: 'warning', ...problem });
    this.#settings.apply({}, failure => {
      if (failure !== undefined) this.interrupt();
    });
  }
}

/** Notes about a session itself. */
const sessionNotes: ReadonlySet<unknown> = new Set([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'session_info_update',
  'usage_update',
]);

function readUpdate({ method, params }: RpcMessage): WireRecord | undefined {
  return method === 'session/update' ? toRecord(params['update']) : undefined;
}

/** Rejects a request without asking the user. */
function refuse(request: AcpRequest, unknownSession?: string): void {
  if (unknownSession !== undefined) request.refuse(-32_602, unknownSession);
  else if (request.method === 'session/request_permission') request.respond({ outcome: { outcome: 'cancelled' } });
  else if (request.method === 'elicitation/create') request.respond({ action: 'cancel' });
  else request.refuse(-32_601, 'Method not found');
}
