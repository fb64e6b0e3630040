import { defined } from '../../../../../events/defined.ts';
import type { ChannelHost, LiveAnswer } from '../../../contract/live-channel.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
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

interface OpenRequest extends Omit<AskedTool, 'toolCallId'> {
  readonly kind: 'permission' | 'plan' | 'check' | QuestionSet;
}

const noPlan = 'The agent wants to leave its plan mode and has written no plan.';
const declined = 'The user declined.';
/** A person decides about these in any case. */
const unchecked: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

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
      this.#host.request({ kind: 'plan', id, runId, toolCallId, plan, ...defined({ title }) });
    } else {
      const about = claudePermission(request, input);
      this.#host.request({ kind: 'permission', id, runId, toolCallId, tool, input, ...about });
    }
  }

  /** Passes on a call that the program may run without asking, to be checked by rules. */
  check(id: string, runId: string, hook: WireRecord): void {
    const tool = textOf(hook['tool_name']);
    const input = recordOf(hook['tool_input']);
    const request = { tool_name: tool, tool_use_id: hook['tool_use_id'] };
    this.#open.set(id, { id, runId, request, input: input ?? {}, kind: 'check' });
    if (tool === undefined || input === undefined || unchecked.has(tool)) this.answer(id, { outcome: 'approve' });
    else {
      const { command, paths } = claudePermission(request, input);
      this.#host.request({ kind: 'check', id, runId, tool, input, ...defined({ command, paths }) });
    }
  }

  /**
   * Answers a request, or a question of one; does nothing when it is not open. Returns the program's id of the call when
   * it was rejected.
   */
  answer(id: string, answer: LiveAnswer): string | undefined {
    const found = this.#open.get(id) ?? this.#withQuestion(id);
    if (found === undefined) return undefined;
    const { kind } = found;
    if (kind === 'check') this.#respond(id, hookDecision(answer));
    else if (kind instanceof QuestionSet) this.#answerQuestion(found, kind, id, answer);
    else if (answer.outcome === 'approve') this.#allow(found, answer.input ?? found.input);
    else this.#deny(found, 'feedback' in answer ? answer.feedback : undefined);
    return answer.outcome === 'reject' ? textOf(found.request['tool_use_id']) : undefined;
  }

  /** The program no longer waits. */
  withdraw(id: string, reason: string): void {
    const found = this.#open.get(id);
    this.#open.delete(id);
    if (found === undefined || found.kind === 'check') return;
    const ids = found.kind instanceof QuestionSet ? found.kind.open.map(question => question.id) : [id];
    for (const each of ids) this.#host.withdraw(each, reason);
  }

  /** The program has decided about a call by itself. */
  withdrawCall(toolUseId: string, reason: string): void {
    for (const [id, { request }] of this.#open) if (request['tool_use_id'] === toolUseId) this.withdraw(id, reason);
  }

  withdrawAll(reason: string): void {
    for (const id of this.#open.keys()) this.withdraw(id, reason);
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

/** The decision of a hook; without one the program goes on as its own rules say. */
function hookDecision(answer: LiveAnswer): object {
  if (answer.outcome === 'approve' || answer.outcome === 'answer') return {};
  const permissionDecision = answer.outcome === 'ask' ? 'ask' : 'deny';
  const permissionDecisionReason = answer.feedback ?? declined;
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}
