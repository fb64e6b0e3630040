import { defined } from '../../../../../base/defined.ts';
import { answerReason, type Answers, type ProgramRequest, RequestBook } from '../../../channels/request-book.ts';
import type { ChannelHost, LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import { recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { claudePermission } from './permission.ts';
import { answeredInput, readQuestions } from './questions.ts';

/** A call that a person is asked about. */
interface AskedTool {
  /** The id of the request. */
  readonly id: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly request: WireRecord;
  readonly input: WireRecord;
}

interface ClaudeRequest extends ProgramRequest<string> {
  /** The program's id of the call. */
  readonly toolUseId: string | undefined;
}

const noPlan = 'The agent wants to leave its plan mode and has written no plan.';
const declined = 'The user declined.';
/** A person decides about these in any case. */
const unchecked: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** The requests of the program that wait for an answer. */
export class OpenRequests {
  readonly #host: ChannelHost;
  readonly #book: RequestBook<string, ClaudeRequest>;

  constructor(host: ChannelHost) {
    this.#host = host;
    this.#book = new RequestBook(host);
  }

  has(id: string): boolean {
    return this.#book.has(id);
  }

  isPlan(id: string): boolean {
    return this.#book.find(id)?.questions[0]?.kind === 'plan';
  }

  /** Passes a request on to a person: as questions, a plan, or a request for permission. */
  open({ id, runId, toolCallId, request, input }: AskedTool): void {
    const tool = textOf(request['tool_name']) ?? '';
    const toolUseId = textOf(request['tool_use_id']);
    const about = { id, runId, toolCallId };
    const asked = tool === 'AskUserQuestion' ? readQuestions(input, about) : [];
    if (asked.length > 0) {
      const settle = (answers: Answers) => this.#decide(id, answers, answeredInput(input, asked, answers));
      this.#book.open({ key: id, toolUseId, questions: asked, settle });
      return;
    }
    const plan = tool === 'ExitPlanMode' ? (textOf(input['plan']) ?? noPlan) : undefined;
    const title = /^#+\s*(.+)$/m.exec(plan ?? '')?.[1]?.trim();
    const question: LiveRequest =
      plan === undefined
        ? { kind: 'permission', ...about, tool, input, ...claudePermission(request, input) }
        : { kind: 'plan', ...about, plan, ...defined({ title }) };
    const settle = (answers: Answers) => {
      const [answer] = answers;
      this.#decide(id, answers, answer?.outcome === 'approve' ? (answer.input ?? input) : undefined);
    };
    this.#book.open({ key: id, toolUseId, questions: [question], settle });
  }

  /** Passes on a call that the program may run without asking, to be checked by rules. */
  check(id: string, runId: string, hook: WireRecord): void {
    const tool = textOf(hook['tool_name']);
    const input = recordOf(hook['tool_input']);
    const questions: LiveRequest[] = [];
    if (tool !== undefined && input !== undefined && !unchecked.has(tool)) {
      const { command, paths } = claudePermission({ tool_name: tool }, input);
      questions.push({ kind: 'check', id, runId, tool, input, ...defined({ command, paths }) });
    }
    const settle = ([answer]: Answers) => this.#respond(id, hookDecision(answer));
    this.#book.open({ key: id, toolUseId: textOf(hook['tool_use_id']), questions, settle });
  }

  /**
   * Answers a request, or a question of one; does nothing when it is not open. Returns the program's id of the call when
   * it was rejected.
   */
  answer(id: string, answer: LiveAnswer): string | undefined {
    const found = this.#book.find(id);
    this.#book.answer(id, answer);
    return answer.outcome === 'reject' ? found?.toolUseId : undefined;
  }

  /** The program no longer waits. */
  withdraw(id: string, reason: string): void {
    this.#book.withdraw(id, reason);
  }

  /** The program has decided about a call by itself. */
  withdrawCall(toolUseId: string, reason: string): void {
    this.#book.withdrawAll(reason, request => request.toolUseId === toolUseId);
  }

  withdrawAll(reason: string): void {
    this.#book.withdrawAll(reason);
  }

  /** Allows a call with its input, which is always sent: some versions count an approval without it as a denial. */
  #decide(id: string, answers: Answers, updatedInput: WireRecord | undefined): void {
    if (updatedInput !== undefined) return this.#respond(id, { behavior: 'allow', updatedInput });
    const refusal = answers.find(answer => answer !== undefined && answer.outcome !== 'answer');
    const message = answerReason(refusal) ?? declined;
    this.#respond(id, { behavior: 'deny', message });
  }

  #respond(id: string, response: object): void {
    const answer = { subtype: 'success', request_id: id, response };
    this.#host.send(JSON.stringify({ type: 'control_response', response: answer }));
  }
}

/** The decision of a hook; without one the program goes on as its own rules say. */
function hookDecision(answer: LiveAnswer | undefined): object {
  if (answer === undefined || answer.outcome === 'approve' || answer.outcome === 'answer') return {};
  const permissionDecision = answer.outcome === 'ask' ? 'ask' : 'deny';
  const permissionDecisionReason = answer.feedback ?? declined;
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}
