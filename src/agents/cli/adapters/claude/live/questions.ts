import { type Answers, answerText } from '../../../channels/request-book.ts';
import type { LiveRequest } from '../../../contract/live-channel.ts';
import { readChoices } from '../../../shared/read-choices.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';

type Question = Extract<LiveRequest, { kind: 'question' }>;

/** Reads the questions of one call of `AskUserQuestion`, which are answered together; none when the input has none. */
export function readQuestions(
  input: WireRecord,
  { id, runId, toolCallId }: { readonly id: string; readonly runId: string; readonly toolCallId: string },
): readonly Question[] {
  return toList(input['questions']).flatMap((value, index): Question[] => {
    const record = toRecord(value);
    const question = toText(record?.['question']);
    if (question === undefined) return [];
    const options = readChoices(record?.['options']);
    const selectionMode = record?.['multiSelect'] === true ? 'multi_select' : 'single_select';
    return [{ kind: 'question', id: `${id}#${index}`, runId, toolCallId, question, options, selectionMode }];
  });
}

/** Returns the input of the call with the answers to its questions; undefined when one was declined. */
export function answeredInput(
  input: WireRecord,
  questions: readonly Question[],
  answers: Answers,
): WireRecord | undefined {
  const texts = answers.flatMap(answer => answerText(answer) ?? []);
  if (texts.length < questions.length) return undefined;
  return { ...input, answers: Object.fromEntries(questions.map(({ question }, index) => [question, texts[index]])) };
}
