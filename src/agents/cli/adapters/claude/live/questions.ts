import type { LiveAnswer, LiveRequest } from '../../../contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { defined } from '../../../../../events/defined.ts';

type Question = Extract<LiveRequest, { kind: 'question' }>;

/** The questions of one call of `AskUserQuestion`, which are answered together. */
export class QuestionSet {
  readonly #input: WireRecord;
  readonly #questions: readonly Question[];
  readonly #answers = new Map<string, string>();

  private constructor(input: WireRecord, questions: readonly Question[]) {
    this.#input = input;
    this.#questions = questions;
  }

  /** Reads the questions; undefined when the input has none. */
  static read(
    input: WireRecord,
    { id, runId, toolCallId }: { readonly id: string; readonly runId: string; readonly toolCallId: string },
  ): QuestionSet | undefined {
    const questions = listOf(input['questions']).flatMap((value, index): Question[] => {
      const record = recordOf(value);
      const question = textOf(record?.['question']);
      if (question === undefined) return [];
      const options = listOf(record?.['options']).flatMap(each => {
        const label = textOf(recordOf(each)?.['label']);
        const description = textOf(recordOf(each)?.['description']);
        return label === undefined ? [] : [{ label, ...defined({ description }) }];
      });
      const selectionMode = record?.['multiSelect'] === true ? 'multi_select' : 'single_select';
      return [{ kind: 'question', id: `${id}#${index}`, runId, toolCallId, question, options, selectionMode }];
    });
    return questions.length === 0 ? undefined : new QuestionSet(input, questions);
  }

  get requests(): readonly Question[] {
    return this.#questions;
  }

  /** The requests without an answer. */
  get open(): readonly Question[] {
    return this.#questions.filter(({ id }) => !this.#answers.has(id));
  }

  has(requestId: string): boolean {
    return this.open.some(({ id }) => id === requestId);
  }

  /** Registers an answer; returns the input of the call once all questions have one. */
  take(requestId: string, { answer }: Extract<LiveAnswer, { outcome: 'answer' }>): WireRecord | undefined {
    this.#answers.set(requestId, typeof answer === 'string' ? answer : answer.join(', '));
    if (this.open.length > 0) return undefined;
    const answers = Object.fromEntries(this.#questions.map(({ id, question }) => [question, this.#answers.get(id)]));
    return { ...this.#input, answers };
  }
}
