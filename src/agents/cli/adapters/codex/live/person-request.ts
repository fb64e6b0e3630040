import { answerReason, type Answers, type Question } from '../../../channels/request-book.ts';
import type { LiveAnswer } from '../../../contract/live-channel.ts';

/** A request of the program, with its questions to the user and the conversion of the answers to a response. */
export interface PersonRequest {
  readonly questions: readonly Question[];
  reply(answers: Answers): object;
  /** Returns the feedback that the model receives in addition to the answer, which has no field for it. */
  words(answers: Answers): string | undefined;
  /** Emits the events of an answer. */
  answered?(answers: Answers): void;
}

/** Whether an answer allows the call as it is; a revised input cannot be passed on and counts as a rejection. */
export function isApproval(answer: LiveAnswer | undefined): boolean {
  return answer?.outcome === 'approve' && answer.input === undefined;
}

/** Returns the feedback of a decision as a message to the model. */
export function readWords(answer: LiveAnswer | undefined, what: string): string | undefined {
  const feedback = answerReason(answer)?.trim() ?? '';
  if (feedback === '') return undefined;
  return isApproval(answer) ? feedback : `I rejected ${what}: ${feedback}`;
}
