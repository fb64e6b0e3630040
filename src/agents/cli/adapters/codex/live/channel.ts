import { type Answers, type ProgramRequest, RequestBook } from '../../../channels/request-book.ts';
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
import { promptText } from '../../../shared/prompt-content.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { AgentThread } from './agent-threads.ts';
import { toInput } from './input.ts';
import { planPrompt } from './plan-answer.ts';
import type { PersonRequest } from './person-request.ts';
import { readRequest, resolvedId } from './read-request.ts';
import { RpcConnection, type RpcId, type RpcMessage } from '../../../channels/json-rpc.ts';
import { type CodexSession, openSession, policyProblem } from './session.ts';
import { consumedNotifications } from './consumed-notifications.ts';
import { ThreadUsage } from './thread-usage.ts';
import { CodexTurn } from './turn.ts';
import { defined } from '../../../../../base/defined.ts';

/** How long an answer waits for the words that belong to it to be taken. */
const wordsMs = 2_000;
/** How long a stopped turn may report its remaining events. */
const stopMs = 5_000;
const programEnded = 'The program has ended.';

interface CodexRequest extends ProgramRequest<RpcId> {
  readonly thread: AgentThread;
}

/** The channel of `codex app-server` over stdio. */
export class CodexChannel extends TurnChannel<CodexTurn> {
  readonly #rpc: RpcConnection;
  readonly #book: RequestBook<RpcId, CodexRequest>;
  #questions = 0;
  readonly #usage = new ThreadUsage();
  readonly #over = new Set<string>();
  /** Messages that wait for the turn to begin. */
  readonly #held: SteerMessage[] = [];
  #steered = new SteeredMessages();
  #session: CodexSession | undefined;
  #mode: string | undefined;
  #model: string | undefined;
  /** The run of the last turn, and the number of its turns. */
  #run = { id: '', turns: 0 };
  #planRequest: string | undefined;
  #plans = 0;
  /** Why the session ends with the open turn: the program changed to a policy that does not ask. */
  #problem: ReturnType<typeof policyProblem>;

  constructor(host: ChannelHost, start: LiveStart) {
    super(host, start);
    // A resumed session may have been left in another mode.
    this.#mode = start.sessionId === undefined ? undefined : 'default';
    this.#rpc = new RpcConnection(message => host.send(message));
    this.#book = new RequestBook(this.host);
  }

  protected connect(): void {
    openSession(this.#rpc, this.start, {
      opened: session => {
        this.#session = session;
        this.#model = session.model;
        this.setReady(defined({ sessionId: session.threadId, model: session.model }));
      },
      failed: problem => this.fail(problem),
    });
  }

  /** Reported usage is where the next turn begins; a request is refused, so that the program does not wait. */
  protected takeBetweenTurns(value: unknown): boolean | 'refused' {
    const message = this.#read(value);
    if (message === 'handled') return true;
    if (message?.id !== undefined) {
      if (!this.#book.has(message.id)) this.#refuse(message.id);
      return 'refused';
    }
    const threadId = toText(message?.params['threadId']);
    if (message?.method === 'thread/tokenUsage/updated' && threadId !== undefined)
      return this.#usage.report(threadId, message.params['tokenUsage'], false);
    // It writes the warnings of its start to stderr, too.
    return message?.method === 'configWarning';
  }

  protected takeInTurn(turn: CodexTurn, value: unknown): boolean {
    const message = this.#read(value);
    if (message === undefined) return false;
    let isUnderstood = true;
    if (message !== 'handled')
      isUnderstood = message.id === undefined ? turn.take(message) : this.#request(turn, message, message.id);
    if (this.turn !== turn) return isUnderstood;
    const { all } = turn.threads;
    this.#book.withdrawAll('The subagent that asked is over.', ({ thread }) => !all.includes(thread));
    if (turn.isSettled) this.#settle(turn);
    return isUnderstood;
  }

  protected createTurn({ runId, usedBefore }: LiveTurn): CodexTurn {
    const { threadId } = this.#session as CodexSession;
    this.#steered = new SteeredMessages();
    this.#usage.before(threadId, usedBefore);
    this.#run = { id: runId, turns: this.#run.id === runId ? this.#run.turns + 1 : 1 };
    return new CodexTurn({
      host: this.host,
      runId,
      threadId,
      suffix: this.#suffix,
      usage: this.#usage,
      over: this.#over,
      heard: message => {
        const id = this.#steered.takeRead(message);
        if (id !== undefined) this.host.steered(id, 'joined');
      },
    });
  }

  protected sendPrompt(turn: CodexTurn, { content, model, mode }: LiveTurn): void {
    this.#model = model ?? this.#model;
    this.#startTurn(turn, { input: toInput(content), ...defined({ model }) }, mode);
  }

  protected takeAnswer(requestId: string, answer: LiveAnswer): void {
    if (requestId === this.#planRequest) this.#answerPlan(answer);
    else this.#book.answer(requestId, answer);
  }

  protected sendMessage(turn: CodexTurn, message: SteerMessage): void {
    const { id, content } = message;
    const thread = turn.threads.main;
    if (thread.turnId === undefined && turn.status === undefined) {
      this.#held.push(message);
      return;
    }
    this.#steered.add({ id, text: promptText(content) });
    if (thread.turnId === undefined) this.host.steered(id, 'queued');
    else this.#sendSteer(thread, { input: toInput(content), clientUserMessageId: id }, () => {});
  }

  protected stopTurn(turn: CodexTurn): void {
    if (turn.isSettled) this.endTurn(turn, 'aborted');
    else for (const thread of turn.threads.all) this.#stop(thread);
  }

  protected finishTurn(turn: CodexTurn, reason: LiveTurnEnd['reason']): LiveTurnEnd {
    if (this.#planRequest !== undefined) this.host.withdraw(this.#planRequest, 'The turn is over.');
    this.#planRequest = undefined;
    this.#book.withdrawAll(reason === 'error' ? programEnded : 'The turn is over.');
    turn.events.within(undefined, () => turn.end());
    for (const { id, content } of this.#held.splice(0)) this.#steered.add({ id, text: promptText(content) });
    const unsent = this.#steered.takeUnread();
    if (this.#problem !== undefined) this.host.failed(this.#problem);
    const isFailed = turn.events.context.failure !== undefined || this.#problem !== undefined;
    return { reason: isFailed ? 'error' : reason, ...(unsent.length > 0 && { unsent }) };
  }

  protected describeUnopened(): SessionProblem {
    return { message: 'Codex ended before its session was open.', code: 'agent_failed' };
  }

  get #suffix(): string {
    const { turns } = this.#run;
    return [resumeMark(this.start), turns > 1 ? `${turns - 1}` : undefined]
      .map(part => (part ? `.${part}` : ''))
      .join('');
  }

  /** Reads a message, and handles what belongs to no turn. */
  #read(value: unknown): RpcMessage | 'handled' | undefined {
    const record = toRecord(value);
    const message = record && this.#rpc.read(record);
    if (message === 'answer') return 'handled';
    if (message?.method === 'thread/settings/updated') this.#checkPolicy(message.params);
    if (message === undefined || message.id !== undefined) return message;
    return consumedNotifications.has(message.method) || this.#isResolved(message) ? 'handled' : message;
  }

  /** Stops a program that changes to a policy that does not ask. What its turn still reports is translated. */
  #checkPolicy(params: WireRecord): void {
    const settings = toRecord(params['threadSettings']);
    const problem = settings && policyProblem(settings, settings['sandboxPolicy']);
    if (problem === undefined || this.start.yolo === true || this.#problem !== undefined) return;
    this.#problem = problem;
    const { turn } = this;
    if (turn === undefined) {
      this.fail(problem);
      return;
    }
    turn.isUnasked = true;
    this.host.after(stopMs, () => {
      this.endTurn(turn, 'error');
    });
    this.interrupt();
  }

  /** Reports of a request that is closed already, as after an interrupt, change nothing. */
  #isResolved(message: RpcMessage): boolean {
    const rpcId = resolvedId(message);
    if (rpcId !== undefined) this.#book.withdraw(rpcId, 'The program no longer waits for the answer.');
    return rpcId !== undefined;
  }

  /** Rejects a request that cannot be shown to a user, so that the program never waits for it. */
  #request(turn: CodexTurn, message: RpcMessage, id: RpcId): boolean {
    if (this.#book.has(id)) return false;
    if (!this.isInterrupted) {
      const thread = turn.threads.find(toText(message.params['threadId'])) ?? turn.threads.main;
      turn.asked(thread, message.params['itemId']);
      const asked = readRequest(message, thread.items);
      if (asked !== undefined) {
        this.#ask(id, thread, asked);
        return true;
      }
    }
    this.#refuse(id);
    return false;
  }

  #ask(key: RpcId, thread: AgentThread, asked: PersonRequest): void {
    const { runId } = thread.items;
    const questions = asked.questions.map(question => ({ id: `request-${++this.#questions}`, runId, ...question }));
    const settle = (answers: Answers) => this.#reply(request, asked, answers);
    const request: CodexRequest = { key, thread, questions, settle };
    this.#book.open(request);
  }

  /** Answers the program, after the words that belong to the answer were taken or refused. */
  #reply(request: CodexRequest, asked: PersonRequest, answers: Answers): void {
    let isAnswered = false;
    const respond = () => {
      if (isAnswered || !this.#book.isCurrent(request)) return;
      isAnswered = true;
      if (answers.length > 0) this.turn?.events.within(undefined, () => asked.answered?.(answers));
      this.#rpc.respond(request.key, asked.reply(answers));
    };
    const words = asked.words(answers);
    if (words === undefined) respond();
    else this.#say(request.thread, words, respond);
  }

  #refuse(id: RpcId): void {
    this.#rpc.refuse(id, -32_601, 'Singletree does not handle this request now.');
  }

  #startTurn(turn: CodexTurn, params: object, mode: string | undefined): void {
    const { threadId } = this.#session as CodexSession;
    if (mode !== undefined || this.#mode !== undefined) this.#mode = mode ?? 'default';
    this.#rpc.call('turn/start', { threadId, ...params, ...this.#modeParams() }, answer => {
      if (this.turn !== turn) return;
      if (answer.result !== undefined) {
        turn.started(toText(toRecord(answer.result['turn'])?.['id']));
        if (this.isInterrupted) this.#stop(turn.threads.main);
        for (const message of this.#held.splice(0)) this.steer(message);
        return;
      }
      turn.events.within(undefined, () =>
        turn.events.context.fail({ message: `Codex did not start the turn: ${answer.error.message}` }),
      );
      this.endTurn(turn, 'error');
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
    const cancel = this.host.after(wordsMs, done);
    if (thread === this.turn?.threads.main) this.#steered.add({ id: undefined, text });
    this.#sendSteer(thread, { input: toInput(text) }, () => {
      cancel();
      done();
    });
  }

  #sendSteer({ id: threadId, turnId }: AgentThread, params: object, done: () => void): void {
    this.#rpc.call('turn/steer', { threadId, expectedTurnId: turnId ?? '', ...params }, done);
  }

  #settle(turn: CodexTurn): void {
    if (
      turn.status === 'completed' &&
      turn.plan !== undefined &&
      this.#planRequest === undefined &&
      !this.isInterrupted
    )
      this.#requestPlan(turn, turn.plan);
    else if (this.#planRequest === undefined)
      this.endTurn(turn, turn.status === 'interrupted' || this.isInterrupted ? 'aborted' : 'complete');
  }

  /** The program ends its turn with a plan: the decision about it is part of ours. */
  #requestPlan(turn: CodexTurn, plan: string): void {
    this.#planRequest = `plan-${++this.#plans}`;
    const title = /^#+\s+(.+)$/m.exec(plan)?.[1];
    const { runId } = turn.threads.main.items;
    this.host.request({ kind: 'plan', id: this.#planRequest, runId, plan, ...defined({ title }) });
  }

  #answerPlan(answer: LiveAnswer): void {
    const { turn } = this;
    this.#planRequest = undefined;
    if (turn === undefined) return;
    const next = planPrompt(answer);
    if (next === undefined) this.endTurn(turn, answer.outcome === 'cancelled' ? 'aborted' : 'complete');
    else {
      turn.again();
      this.#startTurn(turn, { input: toInput(next.prompt) }, next.mode);
    }
  }
}
