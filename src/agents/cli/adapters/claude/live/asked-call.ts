import { defined } from '../../../../../base/defined.ts';
import { answerReason, type Answers, type ProgramRequest } from '../../../channels/request-book.ts';
import type { LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { claudePermission } from './permission.ts';
import { answeredInput, readQuestions } from './questions.ts';

/** A call that the user is asked about. */
interface AskedTool {
  /** The id of the request. */
  readonly id: string;
  readonly runId: string;
  readonly toolCallId: string;
  readonly request: WireRecord;
  readonly input: WireRecord;
}

export interface ClaudeRequest extends ProgramRequest<string> {
  /** The program's id of the call. */
  readonly toolUseId: string | undefined;
}

const noPlan = 'The agent wants to leave its plan mode and has written no plan.';
const declined = 'The user declined.';
/** Tools whose calls a user always decides. */
const unchecked: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode']);

/** Answers a request of the program. */
type Respond = (response: object) => void;

/** Reads a request about a call: questions, a plan, or a request for permission. */
export function readAsked({ id, runId, toolCallId, request, input }: AskedTool, respond: Respond): ClaudeRequest {
  const tool = toText(request['tool_name']) ?? '';
  const toolUseId = toText(request['tool_use_id']);
  const about = { id, runId, toolCallId };
  const questions = tool === 'AskUserQuestion' ? readQuestions(input, about) : [];
  if (questions.length > 0) {
    const settle = (answers: Answers) => respond(decision(answers, answeredInput(input, questions, answers)));
    return { key: id, toolUseId, questions, settle };
  }
  const plan = tool === 'ExitPlanMode' ? (toText(input['plan']) ?? noPlan) : undefined;
  const title = /^#+\s*(.+)$/m.exec(plan ?? '')?.[1]?.trim();
  const question: LiveRequest =
    plan === undefined
      ? { kind: 'permission', ...about, tool, input, ...claudePermission(request, input) }
      : { kind: 'plan', ...about, plan, ...defined({ title }) };
  const settle = (answers: Answers) => {
    const [answer] = answers;
    respond(decision(answers, answer?.outcome === 'approve' ? (answer.input ?? input) : undefined));
  };
  return { key: id, toolUseId, questions: [question], settle };
}

/** Reads a call that the program may run without asking, to be checked by rules. */
export function readChecked(
  { id, runId, hook }: { readonly id: string; readonly runId: string; readonly hook: WireRecord },
  respond: Respond,
): ClaudeRequest {
  const tool = toText(hook['tool_name']);
  const input = toRecord(hook['tool_input']);
  const questions: LiveRequest[] = [];
  if (tool !== undefined && input !== undefined && !unchecked.has(tool)) {
    const { command, paths } = claudePermission({ tool_name: tool }, input);
    questions.push({ kind: 'check', id, runId, tool, input, ...defined({ command, paths }) });
  }
  const settle = ([answer]: Answers) => respond(hookDecision(answer));
  return { key: id, toolUseId: toText(hook['tool_use_id']), questions, settle };
}

/** Allows a call with its input, which is always sent: some versions count an approval without it as a denial. */
function decision(answers: Answers, updatedInput: WireRecord | undefined): object {
  if (updatedInput !== undefined) return { behavior: 'allow', updatedInput };
  const refusal = answers.find(answer => answer !== undefined && answer.outcome !== 'answer');
  return { behavior: 'deny', message: answerReason(refusal) ?? declined };
}

/** Returns the decision of a hook; an empty one leaves the call to the program's own permission rules. */
function hookDecision(answer: LiveAnswer | undefined): object {
  if (answer === undefined || answer.outcome === 'approve' || answer.outcome === 'answer') return {};
  const permissionDecision = answer.outcome === 'ask' ? 'ask' : 'deny';
  const permissionDecisionReason = answer.feedback ?? declined;
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason } };
}
