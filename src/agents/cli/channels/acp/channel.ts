import type { ChannelHost, LiveAnswer, LiveChannel, LiveStart, LiveTurn } from '../../contract/live-channel.ts';
import { LineContext } from '../../shared/line-context.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { readCommands } from '../../shared/reported-commands.ts';
import { resumeMark } from '../../shared/resume-mark.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import { recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import { type AcpAnswer, AcpConnection, type AcpRequest } from './connection.ts';
import type { MessageNumbers } from './messages.ts';
import { openSession } from './open-session.ts';
import type { AcpProfile } from './profile.ts';
import { promptBlocks } from './prompt-blocks.ts';
import { AcpRequests } from './requests.ts';
import { SessionSettings } from './session-settings.ts';
import { AcpSteering } from './steering.ts';
import { AcpTurn, type TurnOutcome } from './turn.ts';
import { defined } from '../../../../events/defined.ts';
import type { EventOf } from '../../../../events/index.ts';

/** A message that arrived when no turn was open. */
interface KeptMessage {
  readonly line: number | undefined;
  readonly handle: () => void;
}

const mostKept = 1_000;

/** Creates the channel of a program that speaks the Agent Client Protocol over its standard input and output. */
export function acpChannel(profile: AcpProfile, host: ChannelHost, start: LiveStart): LiveChannel {
  return new AcpChannel(profile, host, start);
}

class AcpChannel implements LiveChannel {
  readonly #profile: AcpProfile;
  readonly #host: ChannelHost;
  readonly #start: LiveStart;
  readonly #connection: AcpConnection;
  readonly #settings: SessionSettings;
  readonly #requests: AcpRequests;
  readonly #steering: AcpSteering;
  readonly #totals: SessionUsage | undefined;
  readonly #ids: { readonly calls: OpenCalls; readonly messages: MessageNumbers };
  #state: 'opening' | 'ready' | 'failed' | 'closed' = 'opening';
  #turn: AcpTurn | undefined;
  #isInterrupted = false;
  #isPrompted = false;
  #accepts = { images: false, files: false };
  #kept: KeptMessage[] = [];
  /** The slash commands that the program reported last. */
  #commands: EventOf<'session'>['commands'] | undefined;
  /** Called when the history of a loaded session is over, for programs that send it after their answer. */
  #historyOver: (() => void) | undefined;

  constructor(profile: AcpProfile, host: ChannelHost, start: LiveStart) {
    const isYolo = start.yolo === true;
    this.#profile = profile;
    this.#host = host;
    this.#start = start;
    this.#ids = { calls: new OpenCalls(), messages: { counts: new Map(), mark: resumeMark(start) } };
    this.#connection = new AcpConnection(message => host.send(message), {
      notification: (method, params, raw) => this.#notification(method, params, raw),
      request: request => this.#request(request),
      unknown: raw => this.#inTurn(turn => turn.context.unknown(raw)),
      failed: message => this.#fail({ message, code: 'acp_library' }),
    });
    const connection = this.#connection;
    this.#settings = new SessionSettings({ connection, profile, isYolo });
    this.#requests = new AcpRequests({ host, profile, isYolo, sessionId: () => this.#settings.sessionId });
    this.#steering = new AcpSteering({
      host,
      connection,
      kind: profile.steer,
      sessionId: () => this.#settings.sessionId,
    });
    // A process counts from its start, also when it has loaded a session.
    this.#totals = profile.countsProcess === true ? new SessionUsage({ inputTokens: 0, outputTokens: 0 }) : undefined;
  }

  open(): void {
    this.#connection.open(() =>
      openSession({
        connection: this.#connection,
        profile: this.#profile,
        start: this.#start,
        settings: this.#settings,
        host: this.#host,
        untilHistoryOver: proceed => (this.#historyOver = proceed),
        opened: accepts => {
          this.#accepts = accepts;
          this.#state = 'ready';
          const { reportedId: sessionId, modelName: model, mode } = this.#settings;
          this.#host.ready({ sessionId, ...defined({ model, mode }) });
        },
        failed: problem => this.#fail(problem),
        warned: problem => this.#inTurn(turn => turn.context.emit({ type: 'warning', ...problem })),
      }),
    );
  }

  receive(line: string, number: number): void {
    this.#connection.receive(line, number);
  }

  prompt({ runId, content, model, mode }: LiveTurn): void {
    if (this.#state !== 'ready' || this.#turn !== undefined) return;
    const context = new LineContext(runId);
    const { reportedId: sessionId } = this.#settings;
    const used = model ?? this.#start.model ?? this.#settings.modelName;
    const turn = new AcpTurn({
      context,
      profile: this.#profile,
      model: used,
      ids: this.#ids,
      totals: this.#totals,
    });
    this.#turn = turn;
    this.#isInterrupted = false;
    this.#isPrompted = false;
    const session = { cwd: this.#start.cwd, model: used, commands: this.#commands };
    this.#during(undefined, () => context.session(sessionId, session));
    const kept = this.#kept;
    this.#kept = [];
    for (const message of kept) this.#during(message.line, message.handle);
    this.#settings.apply({ mode, model: model ?? this.#start.model }, problem => {
      if (this.#turn !== turn) return;
      if (problem !== undefined) this.#end(turn, { error: { code: 0, message: problem.message } });
      else if (this.#isInterrupted) this.#end(turn, { result: { stopReason: 'cancelled' } });
      else this.#sendPrompt(turn, content);
    });
  }

  #sendPrompt(turn: AcpTurn, content: LiveTurn['content']): void {
    this.#isPrompted = true;
    const { sessionId } = this.#settings;
    const prompt = promptBlocks(content, this.#accepts);
    this.#connection.request('session/prompt', { sessionId, prompt }, answer => {
      if (this.#turn === turn) this.#end(turn, answer);
    });
  }

  answer(requestId: string, answer: LiveAnswer): void {
    this.#during(undefined, () => this.#requests.answer(requestId, answer));
  }

  steer(message: { readonly id: string; readonly content: LiveTurn['content'] }): void {
    if (this.#turn !== undefined) this.#steering.steer(message.id, promptBlocks(message.content, this.#accepts));
  }

  interrupt(): void {
    if (this.#turn === undefined || this.#isInterrupted) return;
    this.#isInterrupted = true;
    if (this.#isPrompted) this.#connection.notify('session/cancel', { sessionId: this.#settings.sessionId });
    this.#during(undefined, () => this.#requests.cancelAll());
  }

  async closed(): Promise<void> {
    if (this.#state === 'closed') return;
    await this.#connection.close();
    const message = `${this.#profile.name} ended before its session was open.`;
    if (this.#state === 'opening') this.#fail({ message, code: 'exit_code' });
    this.#state = 'closed';
    const turn = this.#turn;
    if (turn !== undefined) this.#finish(turn, this.#isInterrupted ? 'aborted' : 'error');
  }

  #end(turn: AcpTurn, answer: AcpAnswer): void {
    // A program may end an interrupted turn with an error.
    const isFailure = answer.error !== undefined && !this.#isInterrupted;
    const result = answer.error === undefined || isFailure ? answer : { result: { stopReason: 'cancelled' } };
    let reason: TurnOutcome = 'error';
    this.#during(this.#connection.line, () => {
      this.#requests.cancelAll('The turn has ended.');
      reason = turn.end(result);
    });
    this.#finish(turn, this.#isInterrupted ? 'aborted' : reason);
  }

  #finish(turn: AcpTurn, reason: TurnOutcome): void {
    this.#during(undefined, () => {
      this.#requests.cancelAll('The turn has ended.');
      turn.flush();
    });
    const unsent = this.#steering.end();
    this.#turn = undefined;
    this.#host.turnEnded({ reason, ...(unsent.length > 0 && { unsent }) });
  }

  #notification(method: string, params: unknown, raw: WireRecord): void {
    const fields = recordOf(params);
    const update = recordOf(fields?.['update']);
    if (method !== 'session/update' || update === undefined) {
      if (this.#profile.ignored?.has(method) !== true) this.#inTurn(turn => turn.context.unknown(raw));
      return;
    }
    if (this.#state === 'opening') return this.#history(update);
    const isOurs = fields?.['sessionId'] === this.#settings.sessionId;
    if (isOurs) this.#steering.observe(update);
    if (isOurs) this.#observe(update);
    // Notes about the session itself belong to no turn.
    if (isOurs && this.#turn === undefined && isNote(update)) return;
    this.#inTurn(turn => {
      if (!isOurs || !turn.update(update)) turn.context.unknown(raw);
    });
  }

  /** Before the session is open, updates repeat its history. */
  #history(update: WireRecord): void {
    this.#observe(update);
    if (update['sessionUpdate'] === 'available_commands_update') this.#historyOver?.();
  }

  /** Keeps track of the settings; a mode that lets calls run unasked is taken back. */
  #observe(update: WireRecord): void {
    const before = this.#settings.mode;
    const text = textOf(recordOf(update['content'])?.['text']);
    if (update['sessionUpdate'] === 'available_commands_update')
      this.#commands = readCommands(update['availableCommands']);
    const inText = text === undefined ? undefined : this.#profile.modeIn?.(text);
    if (update['sessionUpdate'] === 'current_mode_update')
      this.#settings.mode = textOf(update['currentModeId']) ?? before;
    else if (update['sessionUpdate'] === 'config_option_update') this.#settings.readOptions(update['configOptions']);
    else if (inText !== undefined) this.#settings.mode = inText;
    const { mode } = this.#settings;
    if (this.#state !== 'ready' || mode === undefined || mode === before || !this.#settings.isUnsafe(mode)) return;
    const message = `${this.#profile.name} switched to the mode "${mode}", which does not ask. It is switched back.`;
    this.#inTurn(turn => turn.context.emit({ type: 'warning', message, code: 'mode_changed' }));
    this.#settings.apply({}, problem => {
      if (problem !== undefined) this.interrupt();
    });
  }

  #request(request: AcpRequest): void {
    const turn = this.#turn;
    const { method } = request;
    if (this.#steering.drain(request)) return;
    if (this.#profile.ignored?.has(method) === true) return request.refuse(-32_601, 'Method not found');
    if (turn === undefined) {
      if (method === 'session/request_permission') request.respond({ outcome: { outcome: 'cancelled' } });
      else request.refuse(-32_601, 'Method not found');
      this.#inTurn(later => later.context.unknown(request.raw));
      return;
    }
    this.#during(this.#connection.line, () => {
      const isOurs = recordOf(request.params)?.['sessionId'] === this.#settings.sessionId;
      if (!(isOurs && this.#handle(request, turn))) turn.context.unknown(request.raw);
      if (!isOurs) request.refuse(-32_602, 'Unknown session');
    });
  }

  #handle(request: AcpRequest, turn: AcpTurn): boolean {
    const { method } = request;
    // An interrupted turn asks nothing any more.
    if (method === 'session/request_permission' && !this.#isInterrupted)
      return this.#requests.permission(request, turn, () => this.#flush());
    if (method === 'elicitation/create' && !this.#isInterrupted) {
      this.#flush();
      return this.#requests.elicitation(request, turn.context.runId);
    }
    if (method === 'session/request_permission') request.respond({ outcome: { outcome: 'cancelled' } });
    else if (method === 'elicitation/create') request.respond({ action: 'cancel' });
    else request.refuse(-32_601, 'Method not found');
    return false;
  }

  #fail(problem: { readonly message: string; readonly code: string }): void {
    if (this.#state === 'failed' || this.#state === 'closed') return;
    this.#state = 'failed';
    this.#host.failed(problem);
  }

  /** Handles a message in the open turn, or in the next one. */
  #inTurn(handle: (turn: AcpTurn) => void): void {
    const { line } = this.#connection;
    const turn = this.#turn;
    if (turn !== undefined) this.#during(line, () => handle(turn));
    else if (this.#state !== 'closed' && this.#kept.length < mostKept)
      this.#kept.push({ line, handle: () => this.#turn !== undefined && handle(this.#turn) });
  }

  /** Runs an action whose events belong to a line, and emits them; the host may call back while it runs. */
  #during(line: number | undefined, action: () => void): void {
    const context = this.#turn?.context;
    if (context === undefined) return action();
    const outer = context.line;
    this.#flush();
    context.begin(line);
    action();
    this.#flush();
    context.begin(outer);
  }

  #flush(): void {
    const context = this.#turn?.context;
    if (context === undefined) return;
    const events = context.end();
    context.begin(context.line);
    if (events.length > 0) this.#host.emit(events);
  }
}

const notes: ReadonlySet<unknown> = new Set([
  'available_commands_update',
  'config_option_update',
  'current_mode_update',
  'session_info_update',
  'usage_update',
]);

function isNote(update: WireRecord): boolean {
  return notes.has(update['sessionUpdate']);
}
