import type { LiveAnswer } from '../../../contract/live-channel.ts';
import { readChoices } from '../../../shared/read-choices.ts';
import { toList, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import type { CodexItems } from '../items.ts';
import type { Answers, Question } from '../../../channels/request-book.ts';
import type { PersonRequest } from './person-request.ts';

/** Reads the questions of one call; each is asked separately, and all are answered together. */
export function readQuestions(params: WireRecord, items: CodexItems): PersonRequest | undefined {
  const rawId = toText(params['itemId']);
  const asked = toList(params['questions']).flatMap(value => {
    const question = toRecord(value);
    const id = toText(question?.['id']);
    const text = toText(question?.['question']);
    return question === undefined || id === undefined || text === undefined ? [] : [{ id, text, question }];
  });
  if (rawId === undefined || asked.length === 0) return undefined;
  const call =
    items.find(rawId) ?? items.call(rawId, { name: 'request_user_input', input: { questions: params['questions'] } });
  const toAnswers = (answers: Answers) =>
    Object.fromEntries(asked.flatMap(({ id }, index) => toEntry(id, answers[index])));
  return {
    questions: asked.map(({ text, question }): Question => {
      const options = readChoices(question['options']);
      return {
        kind: 'question',
        toolCallId: call.id,
        question: text,
        ...(options.length > 0 && { options, selectionMode: 'single_select' as const }),
      };
    }),
    reply: answers => ({ answers: toAnswers(answers) }),
    words: () => undefined,
    answered: answers => {
      const given = toAnswers(answers);
      items.settle(
        rawId,
        answers.some(answer => answer?.outcome === 'answer')
          ? { context: JSON.stringify(given) }
          : { status: 'denied', reason: 'The question was not answered.' },
      );
    },
  };
}

/** A declined question is answered with the reason, if there is one. */
function toEntry(id: string, answer: LiveAnswer | undefined): [string, { answers: readonly string[] }][] {
  if (answer?.outcome === 'answer') return [[id, { answers: [answer.answer].flat() }]];
  const feedback = answer?.outcome === 'reject' ? answer.feedback?.trim() : undefined;
  return feedback === undefined || feedback === '' ? [] : [[id, { answers: [`(not answered) ${feedback}`] }]];
}
