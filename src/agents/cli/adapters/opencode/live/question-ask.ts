import type { LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import { readChoices } from '../../../shared/read-choices.ts';
import { toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';

/** A question as the server asks it. */
export interface AskedQuestion {
  readonly question: string;
  readonly choice: Pick<Extract<LiveRequest, { kind: 'question' }>, 'options' | 'selectionMode'>;
  /** Whether it asks if a plan may be executed. */
  readonly isPlan: boolean;
}

/** The answers of OpenCode and Kilo Code that approve a plan, and those that reject it. */
const approvals: readonly string[] = ['Yes', 'Continue here'];
const refusals: readonly string[] = ['No', 'Keep refining'];

/** Returns a question of `question.asked`; undefined when it is not understood. */
export function readQuestion(value: unknown): AskedQuestion | undefined {
  const asked = toRecord(value);
  const question = toText(asked?.['question']);
  if (asked === undefined || question === undefined) return undefined;
  const options = readChoices(asked['options']);
  return {
    question,
    isPlan: isPlanQuestion(asked, question) && options.some(({ label }) => approvals.includes(label)),
    choice: {
      selectionMode: asked['multiple'] === true ? 'multi_select' : 'single_select',
      ...(options.length > 0 && { options }),
    },
  };
}

function isPlanQuestion(asked: WireRecord, question: string): boolean {
  return asked['questionKey'] === 'plan.followup.question' || /^Plan at .+ is complete\./.test(question);
}

/** Returns the answer to a question as labels or free text; a reason is an answer that the model can read. */
export function toQuestionAnswer(answer: LiveAnswer): LiveAnswer {
  if (answer.outcome === 'answer' || answer.outcome === 'cancelled' || answer.feedback === undefined)
    return answer.outcome === 'answer' ? answer : { outcome: 'cancelled' };
  const text = answer.outcome === 'reject' ? `I decline to answer: ${answer.feedback}` : answer.feedback;
  return { outcome: 'answer', answer: text };
}

/** Returns the answer to a plan as the label that approves or rejects it. */
export function toPlanAnswer({ choice }: AskedQuestion, answer: LiveAnswer): LiveAnswer {
  if (answer.outcome === 'answer') return answer;
  const known = answer.outcome === 'approve' ? approvals : refusals;
  const label = choice.options?.find(option => known.includes(option.label))?.label;
  return label === undefined ? { outcome: 'cancelled' } : { outcome: 'answer', answer: label };
}
