import type { Answers } from '../../../channels/request-book.ts';
import type { LiveRequest } from '../../../contract/live-channel.ts';
import { listOf, recordOf, textOf, type WireRecord } from '../../../shared/wire-value.ts';
import { defined } from '../../../../../base/defined.ts';

type Question = Extract<LiveRequest, { kind: 'question' }>;

/** Reads the questions of one call of `AskUserQuestion`, which are answered together; none when the input has none. */
export function readQuestions(
  input: WireRecord,
  { id, runId, toolCallId }: { readonly id: string; readonly runId: string; readonly toolCallId: string },
): readonly Question[] {
  return listOf(input['questions']).flatMap((value, index): Question[] => {
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
}

/** Returns the input of the call with the answers to its questions; undefined when one was declined. */
export function answeredInput(
  input: WireRecord,
  questions: readonly Question[],
  answers: Answers,
): WireRecord | undefined {
  const texts = answers.flatMap(answer => (answer?.outcome === 'answer' ? [[answer.answer].flat().join(', ')] : []));
  if (texts.length < questions.length) return undefined;
  return { ...input, answers: Object.fromEntries(questions.map(({ question }, index) => [question, texts[index]])) };
}
