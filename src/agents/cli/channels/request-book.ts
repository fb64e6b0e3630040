import type { ChannelHost, LiveAnswer, LiveRequest } from '../contract/live-channel.ts';

/** The answers to the questions of a request, in order; undefined for an unanswered question. */
export type Answers = readonly (LiveAnswer | undefined)[];

/** A question to the user, before it has an id and a run. */
export type Question = WithoutIds<LiveRequest>;
type WithoutIds<Request> = Request extends LiveRequest ? Omit<Request, 'id' | 'runId'> : never;

/** A request of a program, with its questions to the user and the way to answer the program. */
export interface ProgramRequest<Key> {
  /** The program's id of the request. */
  readonly key: Key;
  /** The questions to the user; ids are unique within the channel. A request without questions is settled at once. */
  readonly questions: readonly LiveRequest[];
  /** Answers the program: every question has an answer, or one was declined. Called once. */
  settle(answers: Answers): void;
  /** Answers the program that no call may run, because the request is cancelled. Absent: it expects no answer. */
  cancel?(): void;
}

interface Entry<Request> {
  readonly request: Request;
  readonly answers: Map<string, LiveAnswer | undefined>;
  /** The questions without an answer. */
  readonly waiting: Map<string, LiveRequest>;
}

const declined = 'Another question of the same request was declined.';

/**
 * The requests of a program to users.
 *
 *     open ── every question answered, or one declined ──▶ settled ── withdraw, cancel ──▶ gone
 *      │                                                   (the program is answered; a repetition is known)
 *      ├──── withdraw: the program no longer waits, and is not answered ─────────────────▶ gone
 *      └──── cancel: the program is answered that nothing runs ──────────────────────────▶ gone
 *
 * A question is answered or withdrawn once; a later answer does nothing. The host may answer while it is asked.
 */
export class RequestBook<Key, Request extends ProgramRequest<Key> = ProgramRequest<Key>> {
  readonly #host: Pick<ChannelHost, 'request' | 'withdraw'>;
  readonly #entries = new Map<Key, Entry<Request>>();

  constructor(host: Pick<ChannelHost, 'request' | 'withdraw'>) {
    this.#host = host;
  }

  /** Whether the program has made a request of this key and not closed it; it may be answered already. */
  has(key: Key): boolean {
    return this.#entries.has(key);
  }

  /** Whether the program still knows this request, and not another one of its key. */
  isCurrent(request: Request): boolean {
    return this.#entries.get(request.key)?.request === request;
  }

  /** Returns the open request that asks a question. */
  find(questionId: string): Request | undefined {
    return this.#entryWith(questionId)?.request;
  }

  /** Asks the user; no known request may have the same key. */
  open(request: Request): void {
    const { key, questions } = request;
    const waiting = new Map(questions.map(question => [question.id, question]));
    this.#entries.set(key, { request, answers: new Map(questions.map(({ id }) => [id, undefined])), waiting });
    if (questions.length === 0) request.settle([]);
    for (const question of questions) if (waiting.has(question.id)) this.#host.request(question);
  }

  /** Handles the answer to a question; returns false if it is not open. Declining one declines its whole request. */
  answer(questionId: string, answer: LiveAnswer): boolean {
    const entry = this.#entryWith(questionId);
    if (entry === undefined) return false;
    entry.waiting.delete(questionId);
    entry.answers.set(questionId, answer);
    if (answer.outcome !== 'answer' && answer.outcome !== 'approve') this.#withdrawQuestions(entry, declined);
    if (entry.waiting.size === 0) entry.request.settle([...entry.answers.values()]);
    return true;
  }

  /** Closes a request that the program no longer waits for; does nothing if it is unknown. */
  withdraw(key: Key, reason: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry !== undefined) this.#withdrawQuestions(entry, reason);
  }

  /** Withdraws all requests that match. */
  withdrawAll(reason: string, matches: (request: Request) => boolean = () => true): void {
    for (const [key, { request }] of this.#entries) if (matches(request)) this.withdraw(key, reason);
  }

  /** Cancels a request. Without a reason its questions are not withdrawn: the host has closed them itself. */
  cancel(key: Key, reason?: string): void {
    const entry = this.#entries.get(key);
    this.#entries.delete(key);
    if (entry === undefined || entry.waiting.size === 0) return;
    entry.request.cancel?.();
    if (reason === undefined) entry.waiting.clear();
    else this.#withdrawQuestions(entry, reason);
  }

  /** Cancels all requests. */
  cancelAll(reason?: string): void {
    for (const key of this.#entries.keys()) this.cancel(key, reason);
  }

  #entryWith(questionId: string): Entry<Request> | undefined {
    for (const entry of this.#entries.values()) if (entry.waiting.has(questionId)) return entry;
    return undefined;
  }

  #withdrawQuestions({ waiting }: Entry<Request>, reason: string): void {
    const questions = [...waiting.values()];
    waiting.clear();
    // Rules decide a check: the host never shows it.
    for (const { id, kind } of questions) if (kind !== 'check') this.#host.withdraw(id, reason);
  }
}

/** Returns the user's answer to a question as one text; undefined if it has none. */
export function answerText(answer: LiveAnswer | undefined): string | undefined {
  return answer?.outcome === 'answer' ? [answer.answer].flat().join(', ') : undefined;
}

/** Returns the reason of a decision; undefined without one. */
export function answerReason(answer: LiveAnswer | undefined): string | undefined {
  return answer === undefined || answer.outcome === 'answer' ? undefined : answer.feedback;
}
