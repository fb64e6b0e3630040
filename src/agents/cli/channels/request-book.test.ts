import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lawRuns } from '../../../../test/support/run-size.ts';
import type { LiveAnswer, LiveRequest } from '../contract/live-channel.ts';
import { RequestBook } from './request-book.ts';

const question = (id: string): LiveRequest => ({ id, runId: 'run', kind: 'question', question: `${id}?` });
const said = (answer: string): LiveAnswer => ({ outcome: 'answer', answer });
const rejected: LiveAnswer = { outcome: 'reject', feedback: 'no' };

/** A book whose host and requests write down what happens to each question and request. */
function openBook(answersAtOnce: (id: string) => LiveAnswer | undefined = () => undefined) {
  const events: string[] = [];
  const book = new RequestBook<number>({
    request: ({ id }) => {
      events.push(`ask ${id}`);
      const answer = answersAtOnce(id);
      if (answer !== undefined) book.answer(id, answer);
    },
    withdraw: (id, reason) => events.push(`withdraw ${id}: ${reason}`),
  });
  const open = (key: number, count: number) =>
    book.open({
      key,
      questions: Array.from({ length: count }, (_, index) => question(`${key}.${index}`)),
      settle: answers => events.push(`settle ${key}: ${answers.map(answer => answer?.outcome ?? '-').join(' ')}`),
      cancel: () => events.push(`cancel ${key}`),
    });
  return { book, open, events };
}

describe('the requests of a program', () => {
  it('are settled with all answers in the order of their questions', () => {
    const { book, open, events } = openBook();
    open(1, 2);
    book.answer('1.1', said('b'));
    book.answer('1.0', { outcome: 'approve' });
    expect(events).toEqual(['ask 1.0', 'ask 1.1', 'settle 1: approve answer']);
  });

  it('are declined by one question, which withdraws the others', () => {
    const { book, open, events } = openBook();
    open(1, 3);
    book.answer('1.0', said('a'));
    book.answer('1.2', rejected);
    const withdrawn = 'withdraw 1.1: Another question of the same request was declined.';
    expect(events.slice(3)).toEqual([withdrawn, 'settle 1: answer - reject']);
  });

  it('are not asked further when the host declines at once', () => {
    const { open, events } = openBook(() => rejected);
    open(1, 2);
    expect(events).toEqual([
      'ask 1.0',
      'withdraw 1.1: Another question of the same request was declined.',
      'settle 1: reject -',
    ]);
  });

  it('are settled at once when they have no question', () => {
    const { open, events } = openBook();
    open(1, 0);
    expect(events).toEqual(['settle 1: ']);
  });

  it('are answered only when they are cancelled, and withdrawn only with a reason', () => {
    const { book, open, events } = openBook();
    for (const key of [1, 2, 3]) open(key, 1);
    book.withdraw(1, 'gone');
    book.cancel(2);
    book.cancelAll('over');
    expect(events.slice(3)).toEqual(['withdraw 1.0: gone', 'cancel 2', 'cancel 3', 'withdraw 3.0: over']);
  });

  it('are known until they are closed, also when they are answered', () => {
    const { book, open } = openBook();
    open(1, 1);
    expect([book.has(1), book.find('1.0')?.key]).toEqual([true, 1]);
    expect(book.answer('1.0', rejected)).toBe(true);
    expect([book.has(1), book.find('1.0')]).toEqual([true, undefined]);
    book.withdraw(1, 'over');
    expect(book.has(1)).toBe(false);
  });

  it('end once in any order of answers, withdrawals and cancellations, and nothing happens to them after', () => {
    const key = fc.nat(4);
    const answer = fc.constantFrom(
      said('x'),
      rejected,
      { outcome: 'approve' } as const,
      {
        outcome: 'cancelled',
      } as const,
    );
    const step = fc.oneof(
      fc.record({ do: fc.constant('open' as const), key, count: fc.integer({ min: 0, max: 3 }) }),
      fc.record({ do: fc.constant('answer' as const), key, at: fc.nat(2), answer }),
      fc.record({ do: fc.constantFrom('withdraw' as const, 'cancel' as const, 'cancelSilently' as const), key }),
      fc.record({ do: fc.constant('withdrawAll' as const) }),
      fc.record({ do: fc.constant('cancelAll' as const) }),
    );
    const law = fc.property(fc.array(step, { maxLength: 40 }), fc.nat(3), (steps, eager) => {
      const { book, open, events } = openBook(id => (id.endsWith(`.${eager}`) ? rejected : undefined));
      let keys = 0;
      const real = new Map<number, number>();
      for (const each of steps) {
        if (each.do === 'open') open(real.set(each.key, ++keys).get(each.key) ?? 0, each.count);
        else if (each.do === 'withdrawAll') book.withdrawAll('over');
        else if (each.do === 'cancelAll') book.cancelAll('over');
        else {
          const id = real.get(each.key) ?? 0;
          if (each.do === 'withdraw') book.withdraw(id, 'gone');
          else if (each.do === 'answer') book.answer(`${id}.${each.at}`, each.answer);
          else book.cancel(id, each.do === 'cancel' ? 'stopped' : undefined);
        }
      }
      book.cancelAll('the end');
      for (let request = 1; request <= keys; request++) {
        const own = events.filter(event => event.split(/[ .:]/)[1] === String(request));
        const ends = own.filter(event => /^(settle|cancel)/.test(event));
        expect(ends.length, own.join('\n')).toBeLessThanOrEqual(1);
        const questions = own.flatMap(event => /^withdraw (\S+):/.exec(event)?.[1] ?? []);
        expect(new Set(questions).size, 'each question is withdrawn at most once').toBe(questions.length);
        const asked = own.filter(event => event.startsWith('ask'));
        expect(new Set(asked).size, 'each question is asked at most once').toBe(asked.length);
        const isEnded = ends.length === 1 || questions.length > 0;
        expect(isEnded, own.join('\n')).toBe(true);
        const end = own.findIndex(event => /^(settle|cancel)/.test(event));
        expect(own.slice(end + 1).filter(event => end >= 0 && event.startsWith('ask'))).toEqual([]);
      }
    });
    fc.assert(law, { numRuns: lawRuns(500) });
  });
});
