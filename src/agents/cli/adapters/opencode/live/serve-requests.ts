import { answerReason, type Answers, RequestBook } from '../../../channels/request-book.ts';
import type { ChannelHost, LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import type { OpenCall } from '../../../shared/open-calls.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { HttpCalls } from './http-calls.ts';
import {
  allowLabel,
  approvalQuestion,
  type PermissionAsk,
  permissionRequest,
  readPermissionAsk,
} from './permission-ask.ts';
import type { PlanFiles } from './plan-files.ts';
import type { ServeRun } from './serve-run.ts';
import { type AskedQuestion, readQuestion, toPlanAnswer, toQuestionAnswer } from './question-ask.ts';
import { defined } from '../../../../../base/defined.ts';

/** The parts of a turn that its requests use. */
export interface RequestTurn {
  readonly run: ServeRun;
  readonly host: Pick<ChannelHost, 'request' | 'withdraw'>;
  /** Calls the callback after a delay, unless the turn has ended. */
  after(ms: number, callback: () => void): void;
  /** Sends a message into the turn. */
  say(text: string): void;
  readonly calls: Pick<HttpCalls, 'get' | 'post'>;
  readonly plans: Pick<PlanFiles, 'path' | 'written'>;
}

interface HeldRejection {
  readonly ask: PermissionAsk;
  readonly reason: string;
}

/** The time that the report of a call may take after the request about it. */
const callDelayMs = 500;
const closedItself = 'The program closed the request itself.';

/** The requests of one turn to the user: permissions, questions, and whether a plan may be executed. */
export class ServeRequests {
  readonly #turn: RequestTurn;
  readonly #book: RequestBook<string>;
  /** Every request of the turn: a repeated one has no effect. */
  readonly #known = new Set<string>();
  /** Asks about requests whose call has not been reported, by id. */
  readonly #early = new Map<string, () => void>();
  /** The undecided permissions, by id. */
  readonly #undecided = new Map<string, PermissionAsk>();
  /** The calls that were approved: a second request of the same call, such as one for a folder, is part of it. */
  readonly #approved = new Set<string>();
  /** Rejections that wait for the other requests of their session: the program would reject those, too. */
  readonly #held = new Map<string, HeldRejection[]>();
  readonly #questions = new Map<string, AskedQuestion>();

  constructor(turn: RequestTurn) {
    this.#turn = turn;
    this.#book = new RequestBook(turn.host);
  }

  /** Handles `permission.asked`; returns false when it is not understood or not ours. */
  askPermission(properties: WireRecord): boolean {
    const ask = readPermissionAsk(properties);
    const runId = ask && this.#turn.run.findRunId(ask.sessionId);
    if (ask === undefined || runId === undefined) return false;
    if (!this.#isNew(ask.id)) return true;
    if (this.#approved.has(callKey(ask))) {
      this.#reply(ask, { reply: 'once' });
      return true;
    }
    this.#undecided.set(ask.id, ask);
    const open = (question: LiveRequest) =>
      this.#book.open({ key: ask.id, questions: [question], settle: ([answer]) => this.#decided(ask, answer) });
    if (ask.callId === undefined) open(approvalQuestion(ask, runId));
    else
      this.#whenReported(ask, call => {
        if (call !== undefined) return open(permissionRequest(ask, call, call.runId));
        // It is not understood, and must not run.
        this.#undecided.delete(ask.id);
        this.#reply(ask, {
          reply: 'reject',
          message: 'The call was not reported, and nobody could be asked about it.',
        });
        this.#sendRejections(ask.sessionId);
      });
    return true;
  }

  /** Handles `question.asked`; returns false when it is not understood or not ours. */
  askQuestions(properties: WireRecord): boolean {
    const [id, sessionId] = ['id', 'sessionID'].map(name => toText(properties[name]));
    const questions = toList(properties['questions']).map(readQuestion);
    if (id === undefined || sessionId === undefined || questions.length === 0) return false;
    const runId = this.#turn.run.findRunId(sessionId);
    if (runId === undefined || !questions.every(question => question !== undefined)) return false;
    if (!this.#isNew(id)) return true;
    const callId = toText(toRecord(properties['tool'])?.['callID']);
    const ask = (call?: OpenCall) => {
      this.#early.set(id, () => {});
      this.#withPlan(questions, plan => {
        if (this.#early.delete(id)) this.#openQuestions(id, questions, { runId, plan, toolCallId: call?.id });
      });
    };
    if (callId === undefined) ask();
    else this.#whenReported({ id, sessionId, callId }, ask);
    return true;
  }

  /** Asks about the requests that arrived before their call was reported. */
  callReported(): void {
    for (const ask of this.#early.values()) ask();
  }

  /** The program reports that a request has an answer; it may have answered it itself. */
  replied(id: string): void {
    this.#early.delete(id);
    this.#book.withdraw(id, closedItself);
    for (const held of this.#held.values()) {
      const at = held.findIndex(({ ask }) => ask.id === id);
      if (at >= 0) held.splice(at, 1);
    }
    const ask = this.#undecided.get(id);
    if (this.#undecided.delete(id) && ask !== undefined) this.#sendRejections(ask.sessionId);
  }

  /** Handles the user's answer. */
  answer(requestId: string, answer: LiveAnswer): void {
    const question = this.#questions.get(requestId);
    if (this.#book.find(requestId) === undefined) return;
    if (question?.isPlan !== true)
      this.#book.answer(requestId, question === undefined ? answer : toQuestionAnswer(answer));
    else {
      // The reason of a rejected plan reaches the model as a message: the answer itself has no place for it.
      if (answer.outcome === 'reject' && answer.feedback !== undefined) this.#turn.say(answer.feedback);
      this.#book.answer(requestId, toPlanAnswer(question, answer));
    }
  }

  /** Withdraws all requests: the turn has ended. */
  end(): void {
    this.#early.clear();
    this.#book.withdrawAll('The turn has ended.');
  }

  #isNew(id: string): boolean {
    const isNew = !this.#known.has(id);
    this.#known.add(id);
    return isNew;
  }

  /** Calls the callback once with the call of a request, or with undefined if it is not reported in time. */
  #whenReported(
    { id, sessionId, callId = '' }: { id: string; sessionId: string; callId?: string | undefined },
    ask: (call: OpenCall | undefined) => void,
  ): void {
    let isDone = false;
    const attempt = (isLast: boolean) => {
      const call = this.#turn.run.findReader(sessionId)?.call(callId);
      if (isDone || !this.#early.has(id) || (call === undefined && !isLast)) return;
      isDone = true;
      this.#early.delete(id);
      ask(call);
    };
    this.#early.set(id, () => attempt(false));
    attempt(false);
    if (!isDone) this.#turn.after(callDelayMs, () => attempt(true));
  }

  /** Passes the text of the plan that a question is about to the callback, if any. */
  #withPlan(questions: readonly AskedQuestion[], done: (plan?: string) => void): void {
    const { calls, plans } = this.#turn;
    const asked = questions.find(({ isPlan }) => isPlan);
    const path = asked && (/^Plan at (.+) is complete\./.exec(asked.question)?.[1] ?? plans.path);
    if (path === undefined) return done();
    calls.get(`/file/content?path=${encodeURIComponent(path)}`, ({ status, body }) => {
      const content = status === 200 ? toText(toRecord(body)?.['content']) : undefined;
      done(content ?? plans.written(path));
    });
  }

  #openQuestions(
    key: string,
    questions: readonly AskedQuestion[],
    { runId, plan, toolCallId }: { runId: string; plan: string | undefined; toolCallId: string | undefined },
  ): void {
    const requests = questions.map(({ question, isPlan, choice }, index): LiveRequest => {
      const base = { id: `${key}/${index}`, runId, ...defined({ toolCallId }) };
      return isPlan
        ? { ...base, kind: 'plan', plan: plan ?? question }
        : { ...base, kind: 'question', question, ...choice };
    });
    for (const [index, question] of questions.entries()) this.#questions.set(`${key}/${index}`, question);
    this.#book.open({ key, questions: requests, settle: answers => this.#answerQuestions(key, answers) });
  }

  /** The program gets the answers of a request together. */
  #answerQuestions(id: string, answers: Answers): void {
    const given = answers.flatMap(answer => (answer?.outcome === 'answer' ? [[answer.answer].flat()] : []));
    if (given.length < answers.length) this.#turn.calls.post(`/question/${id}/reject`, {});
    else this.#turn.calls.post(`/question/${id}/reply`, { answers: given });
  }

  #decided(ask: PermissionAsk, answer: LiveAnswer | undefined): void {
    this.#undecided.delete(ask.id);
    if (answer !== undefined && allows(answer)) {
      this.#approved.add(callKey(ask));
      this.#reply(ask, { reply: 'once' });
    } else {
      const feedback = answerReason(answer);
      const held = this.#held.get(ask.sessionId) ?? [];
      this.#held.set(ask.sessionId, [...held, { ask, reason: feedback ?? 'The user rejected this call.' }]);
    }
    this.#sendRejections(ask.sessionId);
  }

  /**
   * Sends the rejections of a session once none of its requests waits for a user. The program rejects all of them
   * with the first and drops the reasons of the others: the first carries them all.
   */
  #sendRejections(sessionId: string): void {
    if ([...this.#undecided.values()].some(ask => ask.sessionId === sessionId)) return;
    const held = this.#held.get(sessionId) ?? [];
    this.#held.delete(sessionId);
    const others = held.slice(1).map(({ ask, reason }) => `${ask.patterns.join(', ')}: ${reason}`);
    for (const [index, { ask, reason }] of held.entries())
      this.#reply(ask, { reply: 'reject', message: index === 0 ? [reason, ...others].join('\n') : reason });
  }

  #reply(ask: PermissionAsk, body: { reply: 'once' | 'reject'; message?: string }): void {
    this.#turn.calls.post(`/permission/${ask.id}/reply`, body);
  }
}

/** A request that is not about a call is never part of an approved one. */
function callKey({ id, sessionId, callId }: PermissionAsk): string {
  return callId === undefined ? id : `${sessionId}/${callId}`;
}

function allows(answer: LiveAnswer): boolean {
  return answer.outcome === 'approve' || (answer.outcome === 'answer' && [answer.answer].flat().includes(allowLabel));
}
