import type { ChannelHost, LiveAnswer } from '../../../contract/live-channel.ts';
import { textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { claudePermission } from './permission.ts';
import { QuestionSet } from './questions.ts';

/** A call that waits for an answer. */
interface AskedTool {
  readonly id: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly request: WireRecord;
  readonly input: WireRecord;
}

interface OpenRequest extends AskedTool {
  readonly kind: 'permission' | 'plan' | QuestionSet;
}

const noPlan = 'The agent wants to leave its plan mode and has written no plan.';
const declined = 'The user declined.';

/** The requests of the program that wait for an answer; each is answered at most once. */
export class OpenRequests {
  readonly #host: ChannelHost;
  readonly #open = new Map<string, OpenRequest>();

  constructor(host: ChannelHost) {
    this.#host = host;
  }

  has(id: string): boolean {
    return this.#open.has(id);
  }

  isPlan(id: string): boolean {
    return this.#open.get(id)?.kind === 'plan';
  }

  /** Passes a request on to a person: as a question, a plan, or a request for permission. */
  open(asked: AskedTool): void {
    const { id, runId, toolCallId, request, input } = asked;
    const tool = textOf(request['tool_name']) ?? '';
    const questions = tool === 'AskUserQuestion' ? QuestionSet.read(input, asked) : undefined;
    const plan = tool === 'ExitPlanMode' ? (textOf(input['plan']) ?? noPlan) : undefined;
    this.#open.set(id, { ...asked, kind: questions ?? (plan === undefined ? 'permission' : 'plan') });
    if (questions !== undefined) for (const question of questions.requests) this.#host.request(question);
    else if (plan !== undefined) {
      const title = /^#+\s*(.+)$/m.exec(plan)?.[1]?.trim();
      this.#host.request({ kind: 'plan', id, runId, toolCallId, plan, ...(title !== undefined && { title }) });
    } else {
      const about = claudePermission(request, input);
      this.#host.request({ kind: 'permission', id, runId, toolCallId, tool, input, ...about });
    }
  }

  /** Answers a request, or a question of one; does nothing when it is not open. */
  answer(id: string, answer: LiveAnswer): void {
    const found = this.#open.get(id) ?? this.#withQuestion(id);
    if (found === undefined) return;
    const { kind } = found;
    if (kind instanceof QuestionSet) this.#answerQuestion(found, kind, id, answer);
    else if (answer.outcome === 'approve') this.#allow(found, answer.input ?? found.input);
    else this.#deny(found, 'feedback' in answer ? answer.feedback : undefined);
  }

  /** The program no longer waits. */
  withdraw(id: string, reason: string): void {
    const found = this.#open.get(id);
    this.#open.delete(id);
    if (found === undefined) return;
    const ids = found.kind instanceof QuestionSet ? found.kind.open.map(question => question.id) : [id];
    for (const each of ids) this.#host.withdraw(each, reason);
  }

  /** The program has decided about a call by itself. */
  withdrawCall(toolUseId: string, reason: string): void {
    for (const [id, { request }] of this.#open) if (request['tool_use_id'] === toolUseId) this.withdraw(id, reason);
  }

  withdrawAll(reason: string): void {
    for (const id of [...this.#open.keys()]) this.withdraw(id, reason);
  }

  #answerQuestion(found: OpenRequest, questions: QuestionSet, id: string, answer: LiveAnswer): void {
    if (answer.outcome === 'answer') {
      const input = questions.take(id, answer);
      if (input !== undefined) this.#allow(found, input);
      return;
    }
    this.#deny(found, 'feedback' in answer ? answer.feedback : undefined);
    for (const other of questions.open)
      if (other.id !== id) this.#host.withdraw(other.id, 'Another question of the same call was declined.');
  }

  #withQuestion(questionId: string): OpenRequest | undefined {
    return [...this.#open.values()].find(({ kind }) => kind instanceof QuestionSet && kind.has(questionId));
  }

  /** The input is always sent: some versions count an approval without it as a denial. */
  #allow({ id }: OpenRequest, updatedInput: WireRecord): void {
    this.#respond(id, { behavior: 'allow', updatedInput });
  }

  #deny({ id }: OpenRequest, message = declined): void {
    this.#respond(id, { behavior: 'deny', message });
  }

  #respond(id: string, response: object): void {
    this.#open.delete(id);
    const answer = { subtype: 'success', request_id: id, response };
    this.#host.send(JSON.stringify({ type: 'control_response', response: answer }));
  }
}
