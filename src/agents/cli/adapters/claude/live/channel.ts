import { randomUUID } from 'node:crypto';
import { defined } from '../../../../../base/defined.ts';
import type { ContentPart } from '../../../../../events/content.ts';
import { dropOldest } from '../../../../drop-oldest.ts';
import { PendingCalls } from '../../../channels/pending-calls.ts';
import { RequestBook } from '../../../channels/request-book.ts';
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
import { joinedText, toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { ClaudePlan } from '../plan.ts';
import { readAskedCall } from '../reader.ts';
import { ClaudeUsage } from '../usage.ts';
import { readBlocks } from '../wire.ts';
import { claudeContent } from './content.ts';
import { type ClaudeRequest, readAsked, readChecked } from './asked-call.ts';
import { ClaudeTurn } from './turn.ts';

/** The modes in which it asks before it changes anything. */
const askingModes: ReadonlySet<string> = new Set(['default', 'manual', 'plan']);

/** How long the end of a turn may be announced by nothing else than silence, in milliseconds. */
const silenceMs = 10_000;

/** How long a stopped turn may report its remaining events, in milliseconds. */
const stopMs = 5_000;

const idPrefix = 'singletree-';

/** The name of our hook before each call. */
const checkHook = 'singletree-check';

/** Implements the control protocol of Claude Code: requests in both directions, among the records of print mode. */
export class ClaudeChannel extends TurnChannel<ClaudeTurn> {
  readonly #session = { usage: new ClaudeUsage(), plan: new ClaudePlan() };
  readonly #requests: RequestBook<string, ClaudeRequest>;
  /** Our control requests that the program has not answered. */
  readonly #sent = new PendingCalls<WireRecord>();
  #model: string | undefined;
  #mode: string;
  /** Whether it confirms the messages that it reads. */
  #confirms = false;
  #hasSession = false;
  /** Whether it does not know the session that it was to resume. */
  #isUnknown = false;
  /** Why the session ends with the open turn: it runs in a mode in which it does not ask. */
  #problem: (SessionProblem & { readonly mode: string }) | undefined;
  /** The calls that a user or a rule was asked about. */
  readonly #asked = new Set<string>();
  #cancelSilence = () => {};
  #cancelStop = () => {};

  constructor(host: ChannelHost, start: LiveStart) {
    super(host, start);
    this.#model = start.model;
    this.#mode = start.yolo === true ? 'bypassPermissions' : (start.mode ?? 'default');
    this.#requests = new RequestBook(this.host);
  }

  protected connect(): void {
    // Every call is checked by our rules first, also those that it would run without asking.
    const hooks = { PreToolUse: [{ matcher: null, hookCallbackIds: [checkHook] }] };
    this.#control('initialize', { hooks }, response => this.#initialized(response));
  }

  /** It reads a prompt also before it has answered the handshake. */
  protected override get takesPrompts(): boolean {
    return true;
  }

  protected takeBetweenTurns(message: unknown): boolean {
    this.#cancelSilence();
    const record = toRecord(message);
    return record !== undefined && this.#isHandled(record);
  }

  protected takeInTurn(turn: ClaudeTurn, message: unknown): boolean {
    this.#cancelSilence();
    const record = toRecord(message);
    if (record === undefined) return false;
    if (this.#isHandled(record)) return true;
    if (record['type'] === 'control_request') return this.#requested(turn, record);
    if (record['type'] === 'control_cancel_request')
      this.#requests.withdraw(toText(record['request_id']) ?? '', 'The agent no longer waits for it.');
    else this.#record(turn, record);
    return true;
  }

  protected createTurn({ runId }: LiveTurn): ClaudeTurn {
    return new ClaudeTurn(this.host, runId, this.#session);
  }

  protected sendPrompt({ promptId }: ClaudeTurn, { content, model, mode: wanted }: LiveTurn): void {
    if (model !== undefined && model !== this.#model) this.#set('set_model', { model });
    this.#model = model ?? this.#model;
    const mode = wanted ?? (this.start.yolo === true ? this.#mode : 'default');
    if (mode !== this.#mode) this.#set('set_permission_mode', { mode });
    this.#mode = mode;
    this.#say(promptId, content);
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    const request = this.#requests.find(requestId);
    if (answer.outcome === 'approve' && answer.feedback !== undefined && request?.questions[0]?.kind === 'plan')
      this.#say(randomUUID(), answer.feedback);
    this.#requests.answer(requestId, answer);
    // The program reports a rejected call as an error: record a denial instead.
    if (answer.outcome === 'reject' && request?.toolUseId !== undefined) this.turn?.reader.deny(request.toolUseId);
  }

  protected sendMessage(turn: ClaudeTurn, { id, content }: SteerMessage): void {
    const uuid = randomUUID();
    turn.steer(uuid, id);
    this.#say(uuid, content);
  }

  protected stopTurn(turn: ClaudeTurn): void {
    turn.isInterrupted = true;
    for (const taskId of turn.reader.runningTasks) this.#control('stop_task', { task_id: taskId });
    this.#control('interrupt', {});
  }

  protected finishTurn(turn: ClaudeTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    this.#cancelSilence();
    this.#cancelStop();
    this.#requests.withdrawAll(this.#withdrawal);
    // The turn of an unknown session is tried again in a new one.
    const own = this.#isUnknown ? 'error' : turn.close();
    if (this.isClosed && this.#problem !== undefined) this.host.failed(publicProblem(this.#problem));
    const unsent = reason === 'complete' && this.#confirms ? turn.unread : [];
    const ended = own === 'complete' ? reason : own;
    return { reason: turn.isInterrupted ? 'aborted' : ended, ...(unsent.length > 0 && { unsent }) };
  }

  protected describeUnopened(): SessionProblem {
    return { message: 'Claude Code ended before it was ready.', code: 'exit_code' };
  }

  get #withdrawal(): string {
    if (this.isClosed) return 'The program has ended: the call did not run.';
    return this.isOver ? 'The session cannot be used any more.' : 'The turn has ended.';
  }

  /** Handles what belongs to no turn. */
  #isHandled(record: WireRecord): boolean {
    const { type } = record;
    if (type === 'control_response') this.#responded(toRecord(record['response']) ?? {});
    else if (this.#isUnknownSession(record)) this.#failUnknown();
    else return type === 'keep_alive' || type === 'command_lifecycle';
    return true;
  }

  #record(turn: ClaudeTurn, record: WireRecord): void {
    this.#checkMode(turn, record);
    if (record['type'] === 'user' && record['isReplay'] === true) {
      if (turn.confirm(toText(record['uuid']))) this.#confirms = true;
      return;
    }
    for (const toolUseId of resultsIn(record)) {
      this.#requests.withdrawAll('The call has its result.', request => request.toolUseId === toolUseId);
      if (this.#problem !== undefined && !this.#asked.has(toolUseId))
        this.#markUnasked(turn, toolUseId, this.#problem.mode);
    }
    turn.take(record);
    if (record['type'] === 'result') this.#resulted(turn);
    else if (turn.hasResult && turn.reader.runningTasks.length === 0) this.#endInSilence(turn);
  }

  /** The turn is over with a result, unless a subagent works in the background or a message has not been read. */
  #resulted(turn: ClaudeTurn): void {
    if (turn.isInterrupted) {
      if (turn.unread.length > 0) this.#control('interrupt', {});
      this.#end(turn);
    } else if (turn.reader.runningTasks.length > 0) return;
    else if (this.#confirms ? turn.isConfirmed && turn.unread.length === 0 : turn.unread.length === 0) this.#end(turn);
    else this.#endInSilence(turn);
  }

  #endInSilence(turn: ClaudeTurn): void {
    this.#cancelSilence();
    this.#cancelSilence = this.host.after(silenceMs, () => this.#end(turn));
  }

  #end(turn: ClaudeTurn): void {
    if (this.turn !== turn) return;
    if (this.#problem === undefined) this.endTurn(turn, 'complete');
    else this.fail(publicProblem(this.#problem));
  }

  /** Marks an open call that the program ran in a mode in which it does not ask. */
  #markUnasked(turn: ClaudeTurn, toolUseId: string, mode: string): void {
    const name = turn.reader.openCall(toolUseId)?.name;
    if (name === undefined) return;
    turn.warn(`Claude Code ran ${name} without asking, in the permission mode "${mode}".`, 'unasked');
  }

  #requested(turn: ClaudeTurn, record: WireRecord): boolean {
    const id = toText(record['request_id']);
    const request = toRecord(record['request']);
    if (id === undefined) return false;
    if (this.#problem !== undefined) {
      this.#denyAll(turn, id, request);
      return true;
    }
    if (this.#requests.has(id)) return false;
    if (request?.['callback_id'] === checkHook) {
      const hook = toRecord(request['input']) ?? {};
      this.#requests.open(readChecked({ id, runId: turn.runId, hook }, answer => this.#respond(id, answer)));
      return true;
    }
    const call = readAskedCall(request);
    if (request === undefined || call === undefined) {
      this.#refuse(id, toText(request?.['subtype']));
      return false;
    }
    const { id: toolCallId, runId } = turn.reader.asked(call);
    this.#asked.add(call.toolUseId);
    dropOldest(this.#asked);
    const asked = { id, runId, toolCallId, request, input: call.input };
    this.#requests.open(readAsked(asked, answer => this.#respond(id, answer)));
    return true;
  }

  #respond(id: string, response: object): void {
    this.#send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
  }

  #refuse(id: string, subtype = 'unknown'): void {
    const error = `Unsupported control request: ${subtype}.`;
    this.#send({ type: 'control_response', response: { subtype: 'error', request_id: id, error } });
  }

  #responded(response: WireRecord): void {
    const id = toText(response['request_id']) ?? '';
    // It repeats our own answers.
    if (id.startsWith(idPrefix)) this.#sent.settle(Number(id.slice(idPrefix.length)), response);
  }

  #initialized(response: WireRecord): void {
    const error = readControlError(response);
    const mode = toText(toRecord(response['response'])?.['current_permission_mode']);
    if (!this.isOpening) return;
    if (error !== undefined) this.fail({ message: `Claude Code refused the connection: ${error}`, code: 'protocol' });
    else if (mode !== undefined && !this.#isExpected(mode)) this.fail(wrongMode(mode));
    else {
      const sessionId = this.start.fork === true ? undefined : this.start.sessionId;
      this.setReady(defined({ sessionId, model: this.#model, mode }));
    }
  }

  /** Every record that reports the mode is checked: it must ask, unless another mode was requested. */
  #checkMode(turn: ClaudeTurn, record: WireRecord): void {
    if (record['type'] !== 'system') return;
    if (record['subtype'] === 'init') this.#hasSession = true;
    const mode = record['subtype'] === 'init' || record['subtype'] === 'status' ? record['permissionMode'] : undefined;
    if (typeof mode !== 'string') return;
    if (this.#isExpected(mode)) this.#mode = mode === 'manual' ? 'default' : mode;
    else this.#stop(turn, mode);
  }

  /** Stops a turn in which it does not ask. Translates its remaining records; the session ends with the turn. */
  #stop(turn: ClaudeTurn, mode: string): void {
    if (this.#problem !== undefined) return;
    const problem = { ...wrongMode(mode), mode };
    this.#problem = problem;
    turn.isInterrupted = true;
    this.#requests.withdrawAll('The agent no longer asks.');
    this.#control('interrupt', {});
    this.#cancelStop = this.host.after(stopMs, () => this.fail(publicProblem(problem)));
  }

  /** Rejects the requests and hooks of a stopped turn. */
  #denyAll(turn: ClaudeTurn, id: string, request: WireRecord | undefined): void {
    const message = 'The turn is being stopped.';
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: message,
    };
    this.#respond(id, { behavior: 'deny', message, hookSpecificOutput });
    const toolUseId = toText(request?.['tool_use_id']) ?? toText(toRecord(request?.['input'])?.['tool_use_id']);
    if (toolUseId === undefined) return;
    this.#asked.add(toolUseId);
    turn.reader.deny(toolUseId);
  }

  #isExpected(mode: string): boolean {
    return askingModes.has(mode) || mode === this.#mode || mode === this.start.mode;
  }

  /** It reports an unknown session by one result, before it has opened any. */
  #isUnknownSession(record: WireRecord): boolean {
    if (record['type'] !== 'result' || record['is_error'] !== true) return false;
    if (this.start.sessionId === undefined || this.#hasSession) return false;
    const report = `${toText(record['result']) ?? ''} ${joinedText(toList(record['errors'])) ?? ''}`;
    return record['num_turns'] === 0 || /no conversation found/i.test(report);
  }

  #failUnknown(): void {
    this.#isUnknown = true;
    const message = `Claude Code does not know the session ${this.start.sessionId ?? ''}.`;
    this.fail({ message, code: 'session_unknown' });
  }

  #say(uuid: string, content: string | readonly ContentPart[]): void {
    const message = { role: 'user', content: claudeContent(content) };
    this.#send({ type: 'user', session_id: '', parent_tool_use_id: null, message, uuid });
  }

  /** Changes a setting; emits a warning if the program refuses it. */
  #set(subtype: string, fields: WireRecord): void {
    this.#control(subtype, fields, response => {
      const error = readControlError(response);
      if (error !== undefined) this.turn?.warn(`Claude Code refused ${subtype}: ${error}`, 'refused');
    });
  }

  #control(subtype: string, fields: WireRecord, done: (response: WireRecord) => void = () => {}): void {
    const request = { subtype, ...fields };
    this.#send({ type: 'control_request', request_id: `${idPrefix}${this.#sent.add(done)}`, request });
  }

  #send(message: object): void {
    this.host.send(JSON.stringify(message));
  }
}

function readControlError({ subtype, error }: WireRecord): string | undefined {
  return subtype === 'error' ? (toText(error) ?? 'It failed.') : undefined;
}

/** The calls that a record has results of. */
function resultsIn(record: WireRecord): readonly string[] {
  if (record['type'] !== 'user') return [];
  return (readBlocks(record['message']) ?? []).flatMap(block => {
    const toolUseId = toText(toRecord(block)?.['tool_use_id']);
    return toolUseId === undefined ? [] : [toolUseId];
  });
}

function wrongMode(mode: string) {
  const message = `Claude Code runs in the permission mode "${mode}", in which it does not ask. Remove the setting that selects it, or use --yolo.`;
  return { message, code: 'unsafe_mode' };
}

function publicProblem({ message, code }: SessionProblem): SessionProblem {
  return { message, code };
}
