import type {
  ChannelHost,
  LiveAnswer,
  LiveChannel,
  LiveStart,
  LiveTurn,
  LiveTurnEnd,
} from '../../../contract/live-channel.ts';
import { resumeMark } from '../../../shared/resume-mark.ts';
import { promptText } from '../../../shared/prompt-content.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import type { AgentThread } from './agent-threads.ts';
import { inputOf } from './input.ts';
import { planPrompt } from './plan-answer.ts';
import { CodexRequests } from './requests.ts';
import { resolvedId, RpcConnection, type RpcMessage } from './rpc.ts';
import { type CodexSession, openSession, policyProblem } from './session.ts';
import { isConsumed } from './records.ts';
import { Steering } from './steering.ts';
import { ThreadUsage } from './thread-usage.ts';
import { CodexTurn } from './turn.ts';
import { defined } from '../../../../../events/defined.ts';

type SteerMessage = Parameters<LiveChannel['steer']>[0];

/** How long an answer waits for the words that belong to it to be taken. */
const wordsMs = 2_000;
/** How long a turn that is stopped may report what it did. */
const stopMs = 5_000;
/** Lines that arrive between turns, at most. */
const mostEarly = 1_000;
const programEnded = 'The program has ended.';

/** A line that arrived between turns; a request was refused. */
interface EarlyLine {
  readonly value: unknown;
  readonly number: number;
  readonly isRefused: boolean;
}

/** The channel of `codex app-server` over stdio. */
export class CodexChannel implements LiveChannel {
  readonly #host: ChannelHost;
  readonly #start: LiveStart;
  readonly #rpc: RpcConnection;
  readonly #requests: CodexRequests;
  readonly #usage = new ThreadUsage();
  readonly #over = new Set<string>();
  readonly #early: EarlyLine[] = [];
  /** Messages that wait for the turn to begin. */
  readonly #held: SteerMessage[] = [];
  #steering = new Steering();
  #session: CodexSession | undefined;
  #turn: CodexTurn | undefined;
  #mode: string | undefined;
  #model: string | undefined;
  /** The run of the last turn, and the number of its turns. */
  #run = { id: '', turns: 0 };
  #planRequest: string | undefined;
  #plans = 0;
  #isInterrupted = false;
  /** Why the session ends with the open turn: the program changed to a policy that does not ask. */
  #problem: ReturnType<typeof policyProblem>;
  #isClosed = false;

  constructor(host: ChannelHost, start: LiveStart) {
    this.#host = host;
    this.#start = start;
    // A resumed session may have been left in another mode.
    this.#mode = start.sessionId === undefined ? undefined : 'default';
    this.#rpc = new RpcConnection(message => host.send(message));
    this.#requests = new CodexRequests({
      host,
      rpc: this.#rpc,
      within: act => this.#within(act),
      say: (thread, text, done) => this.#say(thread, text, done),
    });
  }

  open(): void {
    openSession(this.#rpc, this.#start, {
      opened: session => {
        this.#session = session;
        this.#model = session.model;
        this.#host.ready(defined({ sessionId: session.threadId, model: session.model }));
      },
      failed: problem => this.#host.failed(problem),
    });
  }

  receive(line: string, number: number): void {
    if (this.#isClosed || line.trim() === '') return;
    const value = parse(line);
    const turn = this.#turn;
    if (turn === undefined) this.#receive(value, number);
    else turn.events.within(number, () => this.#receive(value, number));
    if (turn === undefined || this.#turn !== turn) return;
    this.#requests.keepOnly(turn.threads.all);
    if (turn.isSettled) this.#settle(turn);
  }

  prompt({ runId, content, model, mode, usedBefore }: LiveTurn): void {
    const session = this.#session;
    if (session === undefined || this.#turn !== undefined || this.#isClosed) return;
    this.#isInterrupted = false;
    this.#steering = new Steering();
    this.#usage.before(session.threadId, usedBefore);
    this.#run = { id: runId, turns: this.#run.id === runId ? this.#run.turns + 1 : 1 };
    this.#turn = new CodexTurn({
      host: this.#host,
      runId,
      threadId: session.threadId,
      suffix: this.#suffix,
      usage: this.#usage,
      over: this.#over,
      heard: message => this.#heard(message),
    });
    this.#model = model ?? this.#model;
    this.#startTurn(this.#turn, { input: inputOf(content), ...defined({ model }) }, mode);
    this.#replayEarly(this.#turn);
  }

  answer(requestId: string, answer: LiveAnswer): void {
    if (this.#isClosed) return;
    if (requestId === this.#planRequest) this.#answerPlan(answer);
    else this.#requests.answer(requestId, answer);
  }

  steer(message: SteerMessage): void {
    const turn = this.#turn;
    if (turn === undefined || this.#isClosed) return;
    const { id, content } = message;
    const thread = turn.threads.main;
    if (thread.turnId === undefined && turn.status === undefined) {
      this.#held.push(message);
      return;
    }
    this.#steering.add({ messageId: id, text: promptText(content) });
    if (thread.turnId === undefined) this.#host.steered(id, 'queued');
    else this.#sendSteer(thread, { input: inputOf(content), clientUserMessageId: id }, () => {});
  }

  interrupt(): void {
    const turn = this.#turn;
    if (turn === undefined || this.#isClosed) return;
    this.#isInterrupted = true;
    if (turn.isSettled) this.#end(turn, { reason: 'aborted' });
    else for (const thread of turn.threads.all) this.#stop(thread);
  }

  closed(): void {
    if (this.#isClosed) return;
    const turn = this.#turn;
    if (turn !== undefined) this.#end(turn, { reason: this.#isInterrupted ? 'aborted' : 'error' });
    else if (this.#session === undefined)
      this.#host.failed({ message: 'Codex ended before its session was open.', code: 'agent_failed' });
    this.#isClosed = true;
  }

  get #suffix(): string {
    const { turns } = this.#run;
    return [resumeMark(this.#start), turns > 1 ? `${turns - 1}` : undefined]
      .map(part => (part ? `.${part}` : ''))
      .join('');
  }

  #receive(value: unknown, number: number): void {
    const record = recordOf(value);
    const message = record && this.#rpc.read(record);
    if (message === 'answer') return;
    if (message?.method === 'thread/settings/updated') this.#checkPolicy(message.params);
    if (message?.id !== undefined) this.#request(message, { id: message.id, number });
    else if (message !== undefined && (isConsumed(message.method) || this.#isResolved(message))) return;
    else if (this.#turn === undefined) this.#keep(value, number, message);
    else if (message === undefined) this.#turn.events.context.unknown(value);
    else this.#take(this.#turn, message);
  }

  /** Stops a program that changes to a policy that does not ask. What its turn still reports is translated. */
  #checkPolicy(params: WireRecord): void {
    const settings = recordOf(params['threadSettings']);
    const problem = settings && policyProblem(settings, settings['sandboxPolicy']);
    if (problem === undefined || this.#start.yolo === true || this.#problem !== undefined) return;
    this.#problem = problem;
    const turn = this.#turn;
    if (turn === undefined) {
      this.#host.failed(problem);
      return;
    }
    turn.isUnasked = true;
    this.#host.after(stopMs, () => {
      if (this.#turn === turn) this.#end(turn, { reason: 'error' });
    });
    this.interrupt();
  }

  /** Reports of a request that is closed already, as after an interrupt, change nothing. */
  #isResolved(message: RpcMessage): boolean {
    const rpcId = resolvedId(message);
    if (rpcId !== undefined) this.#requests.resolved(rpcId, 'The program no longer waits for the answer.');
    return rpcId !== undefined;
  }

  #take(turn: CodexTurn, message: RpcMessage): void {
    try {
      turn.take(message);
    } catch {
      turn.events.context.unknown(message.record);
    }
  }

  /** A line before the first turn belongs to it; reported usage is where it begins. */
  #keep(value: unknown, number: number, message: RpcMessage | undefined): void {
    const threadId = textOf(message?.params['threadId']);
    if (message?.method === 'thread/tokenUsage/updated' && threadId !== undefined)
      if (this.#usage.report(threadId, message.params['tokenUsage'], false)) return;
    // It writes the warnings of its start to stderr, too.
    if (message?.method === 'configWarning') return;
    this.#early.push({ value, number, isRefused: false });
    if (this.#early.length > mostEarly) this.#early.shift();
  }

  #replayEarly(turn: CodexTurn): void {
    for (const { value, number, isRefused } of this.#early.splice(0))
      turn.events.within(number, () => {
        if (isRefused) turn.events.context.unknown(value);
        else this.#receive(value, number);
      });
  }

  /** A request that cannot be shown to a person is refused, so that the program never waits for it. */
  #request(message: RpcMessage, { id, number }: { id: string | number; number: number }): void {
    const turn = this.#turn;
    const isRepeated = this.#requests.isOpen(id);
    if (turn !== undefined && !isRepeated && !this.#isInterrupted) {
      const thread = turn.threads.find(textOf(message.params['threadId'])) ?? turn.threads.main;
      turn.asked(thread, message.params['itemId']);
      if (this.#requests.receive(message, id, { thread, flush: () => turn.events.flush() })) return;
    }
    if (turn === undefined) this.#early.push({ value: message.record, number, isRefused: true });
    else turn.events.context.unknown(message.record);
    if (!isRepeated) this.#rpc.refuse(id, -32_601, 'Singletree does not handle this request now.');
  }

  #startTurn(turn: CodexTurn, params: object, mode: string | undefined): void {
    const { threadId } = this.#session as CodexSession;
    if (mode !== undefined || this.#mode !== undefined) this.#mode = mode ?? 'default';
    this.#rpc.call('turn/start', { threadId, ...params, ...this.#modeParams() }, answer => {
      if (this.#turn !== turn) return;
      if ('result' in answer) {
        turn.started(textOf(recordOf(answer.result['turn'])?.['id']));
        if (this.#isInterrupted) this.#stop(turn.threads.main);
        for (const message of this.#held.splice(0)) this.steer(message);
        return;
      }
      turn.events.within(undefined, () =>
        turn.events.context.fail({ message: `Codex did not start the turn: ${answer.error}` }),
      );
      this.#end(turn, { reason: 'error' });
    });
  }

  /** The mode is sent with each turn once there was another than the default: the program keeps the last one. */
  #modeParams(): object {
    if (this.#mode === undefined || this.#model === undefined) return {};
    const settings = { model: this.#model, reasoning_effort: null, developer_instructions: null };
    return { collaborationMode: { mode: this.#mode, settings } };
  }

  #stop({ id: threadId, turnId }: AgentThread): void {
    if (turnId !== undefined) this.#rpc.call('turn/interrupt', { threadId, turnId }, () => {});
  }

  #say(thread: AgentThread, text: string, done: () => void): void {
    if (thread.turnId === undefined) {
      done();
      return;
    }
    const cancel = this.#host.after(wordsMs, done);
    if (thread === this.#turn?.threads.main) this.#steering.add({ messageId: undefined, text });
    this.#sendSteer(thread, { input: inputOf(text) }, () => {
      cancel();
      done();
    });
  }

  #sendSteer({ id: threadId, turnId }: AgentThread, params: object, done: () => void): void {
    this.#rpc.call('turn/steer', { threadId, expectedTurnId: turnId ?? '', ...params }, done);
  }

  #heard(message: { clientId: string | undefined; text: string }): void {
    const sent = this.#steering.takeDelivered(message);
    if (sent?.messageId !== undefined) this.#host.steered(sent.messageId, 'joined');
  }

  #settle(turn: CodexTurn): void {
    if (
      turn.status === 'completed' &&
      turn.plan !== undefined &&
      this.#planRequest === undefined &&
      !this.#isInterrupted
    )
      this.#requestPlan(turn, turn.plan);
    else if (this.#planRequest === undefined)
      this.#end(turn, { reason: turn.status === 'interrupted' || this.#isInterrupted ? 'aborted' : 'complete' });
  }

  /** The program ends its turn with a plan: the decision about it is part of ours. */
  #requestPlan(turn: CodexTurn, plan: string): void {
    this.#planRequest = `plan-${++this.#plans}`;
    const title = /^#+\s+(.+)$/m.exec(plan)?.[1];
    const { runId } = turn.threads.main.items;
    this.#host.request({ kind: 'plan', id: this.#planRequest, runId, plan, ...defined({ title }) });
  }

  #answerPlan(answer: LiveAnswer): void {
    const turn = this.#turn;
    this.#planRequest = undefined;
    if (turn === undefined) return;
    const next = planPrompt(answer);
    if (next === undefined) this.#end(turn, { reason: answer.outcome === 'cancelled' ? 'aborted' : 'complete' });
    else {
      turn.again();
      this.#startTurn(turn, { input: inputOf(next.prompt) }, next.mode);
    }
  }

  #end(turn: CodexTurn, { reason }: LiveTurnEnd): void {
    if (this.#planRequest !== undefined) this.#host.withdraw(this.#planRequest, 'The turn is over.');
    this.#planRequest = undefined;
    this.#requests.close(reason === 'error' ? programEnded : 'The turn is over.');
    turn.events.within(undefined, () => turn.end());
    this.#turn = undefined;
    for (const { id, content } of this.#held.splice(0))
      this.#steering.add({ messageId: id, text: promptText(content) });
    const unsent = this.#steering.takeUnsent();
    if (this.#problem !== undefined) this.#host.failed(this.#problem);
    const isFailed = turn.events.context.failure !== undefined || this.#problem !== undefined;
    this.#host.turnEnded({ reason: isFailed ? 'error' : reason, ...(unsent.length > 0 && { unsent }) });
  }

  #within(act: () => void): void {
    if (this.#turn === undefined) act();
    else this.#turn.events.within(undefined, act);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return line;
  }
}
