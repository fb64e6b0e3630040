import { defined } from '../../../../../events/defined.ts';
import type { LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import type { HttpCalls } from './http-calls.ts';
import { callDelayMs, type RequestHost } from './permission-requests.ts';
import type { PlanFiles } from './plan-files.ts';

interface AskedQuestion {
  readonly question: string;
  readonly labels: readonly string[];
  readonly request: Pick<Extract<LiveRequest, { kind: 'question' }>, 'question' | 'options' | 'selectionMode'>;
  readonly isPlan: boolean;
}

interface OpenQuestions {
  readonly id: string;
  readonly questions: readonly AskedQuestion[];
  readonly answers: (readonly string[] | undefined)[];
}

/** What approves a plan and what rejects it: the answers of OpenCode and of Kilo Code. */
const approvals: readonly string[] = ['Yes', 'Continue here'];
const refusals: readonly string[] = ['No', 'Keep refining'];

export interface QuestionHost extends RequestHost {
  /** Sends a message into the turn. */
  say(text: string): void;
  readonly plans: Pick<PlanFiles, 'path' | 'written'>;
}

/** The questions of one turn, among them the one whether a plan may be executed. */
export class QuestionRequests {
  readonly #host: QuestionHost;
  readonly #calls: Pick<HttpCalls, 'get' | 'post'>;
  readonly #known = new Set<string>();
  readonly #open = new Map<string, OpenQuestions>();
  /** Shows the questions whose call has not been reported, by id. */
  readonly #early = new Map<string, () => void>();

  constructor(host: QuestionHost, calls: Pick<HttpCalls, 'get' | 'post'>) {
    this.#host = host;
    this.#calls = calls;
  }

  /** Handles a request of one or more questions; returns false when it is not understood or not ours. */
  ask(properties: WireRecord): boolean {
    const [id, sessionId] = ['id', 'sessionID'].map(name => textOf(properties[name]));
    const questions = listOf(properties['questions']).map(readQuestion);
    if (id === undefined || sessionId === undefined || questions.length === 0) return false;
    const runId = this.#host.runIdOf(sessionId);
    if (runId === undefined || !questions.every(question => question !== undefined)) return false;
    if (this.#known.has(id)) return true;
    this.#known.add(id);
    this.#open.set(id, { id, questions, answers: questions.map(() => undefined) });
    const callId = textOf(recordOf(properties['tool'])?.['callID']);
    const show = (isLast: boolean) => {
      const toolCallId = callId === undefined ? undefined : this.#host.findCall(sessionId, callId)?.call.id;
      if (callId !== undefined && toolCallId === undefined && !isLast) return;
      if (!this.#early.delete(id) || !this.#open.has(id)) return;
      for (const [index, question] of questions.entries())
        this.#show(question, { id: `${id}/${index}`, runId, ...defined({ toolCallId }) });
    };
    this.#early.set(id, () => show(false));
    show(false);
    if (this.#early.has(id)) this.#host.after(callDelayMs, () => show(true));
    return true;
  }

  /** A call has been reported: questions that came before it can be shown. */
  callReported(): void {
    for (const show of this.#early.values()) show();
  }

  /** The program reports that a question has an answer. */
  replied(id: string): void {
    const open = this.#open.get(id);
    this.#open.delete(id);
    for (const [index] of open?.questions.entries() ?? [])
      if (open?.answers[index] === undefined)
        this.#host.withdraw(`${id}/${index}`, 'The program closed the question itself.');
  }

  /** Answers a question; returns false when it is not open. The program gets the answers of a request together. */
  answer(requestId: string, answer: LiveAnswer): boolean {
    const at = requestId.lastIndexOf('/');
    const open = this.#open.get(requestId.slice(0, at));
    const index = Number(requestId.slice(at + 1));
    const question = open?.questions[index];
    if (open === undefined || question === undefined || open.answers[index] !== undefined) return false;
    const labels = question.isPlan ? this.#planAnswer(question, answer) : answerLabels(answer);
    if (labels === undefined) {
      this.#open.delete(open.id);
      this.#calls.post(`/question/${open.id}/reject`, {});
      for (const [other, given] of open.answers.entries())
        if (given === undefined && other !== index)
          this.#host.withdraw(`${open.id}/${other}`, 'Another question of the same request was declined.');
      return true;
    }
    open.answers[index] = labels;
    if (open.answers.every(given => given !== undefined)) {
      this.#open.delete(open.id);
      this.#calls.post(`/question/${open.id}/reply`, { answers: open.answers });
    }
    return true;
  }

  /** Forgets all questions and returns the ids of the requests that waited for a person. */
  clear(): string[] {
    const ids = [...this.#open.values()].flatMap(({ id, answers }) =>
      answers.flatMap((given, index) => (given === undefined ? [`${id}/${index}`] : [])),
    );
    this.#open.clear();
    return ids;
  }

  #show(question: AskedQuestion, base: { id: string; runId: string; toolCallId?: string }): void {
    if (!question.isPlan) {
      this.#host.request({ ...base, kind: 'question', ...question.request });
      return;
    }
    const path = /^Plan at (.+) is complete\./.exec(question.question)?.[1] ?? this.#host.plans.path;
    const show = (plan: string | undefined) => {
      if (this.#open.has(base.id.slice(0, base.id.lastIndexOf('/'))))
        this.#host.request({ ...base, kind: 'plan', plan: plan ?? question.question });
    };
    if (path === undefined) show(undefined);
    else
      this.#calls.get(`/file/content?path=${encodeURIComponent(path)}`, ({ status, body }) => {
        const content = status === 200 ? textOf(recordOf(body)?.['content']) : undefined;
        show(content ?? this.#host.plans.written(path));
      });
  }

  /** The reason of a rejected plan reaches the model as a message: the answer itself has no place for it. */
  #planAnswer({ labels }: AskedQuestion, answer: LiveAnswer): readonly string[] | undefined {
    const [yes, no] = [approvals, refusals].map(known => labels.find(label => known.includes(label)));
    if (answer.outcome === 'approve') return yes === undefined ? undefined : [yes];
    if (answer.outcome === 'answer') return [answer.answer].flat();
    if (answer.outcome === 'reject' && answer.feedback !== undefined) this.#host.say(answer.feedback);
    return no === undefined ? undefined : [no];
  }
}

function readQuestion(value: unknown): AskedQuestion | undefined {
  const asked = recordOf(value);
  const question = textOf(asked?.['question']);
  if (asked === undefined || question === undefined) return undefined;
  const options = listOf(asked['options']).flatMap(option => {
    const label = textOf(recordOf(option)?.['label']);
    const description = textOf(recordOf(option)?.['description']);
    return label === undefined ? [] : [{ label, ...defined({ description }) }];
  });
  const labels = options.map(({ label }) => label);
  return {
    question,
    labels,
    isPlan: isPlanQuestion(asked, question) && labels.some(label => approvals.includes(label)),
    request: {
      question,
      selectionMode: asked['multiple'] === true ? 'multi_select' : 'single_select',
      ...(options.length > 0 && { options }),
    },
  };
}

function isPlanQuestion(asked: WireRecord, question: string): boolean {
  return asked['questionKey'] === 'plan.followup.question' || /^Plan at .+ is complete\./.test(question);
}

/** The labels or free text of an answer; undefined declines. A reason is an answer that the model can read. */
function answerLabels(answer: LiveAnswer): readonly string[] | undefined {
  if (answer.outcome === 'answer') return [answer.answer].flat();
  if (answer.outcome === 'cancelled' || answer.feedback === undefined) return undefined;
  return [answer.outcome === 'reject' ? `I decline to answer: ${answer.feedback}` : answer.feedback];
}
