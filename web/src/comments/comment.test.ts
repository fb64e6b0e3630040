import { expect, it } from 'vitest';
import { commentsMessage, targetName } from './comment.ts';

it('becomes one message with files, lines and quotes', () => {
  const comments = [
    { id: '1', target: { kind: 'diff', path: 'a.ts', from: 3, to: 4 }, quote: '+one\n+two', text: 'Use a list.' },
    { id: '2', target: { kind: 'plan' }, quote: 'Delete all', text: 'No.' },
  ] as const;
  expect(commentsMessage(comments, 'Look:')).toBe(
    'Look:\n\nOn `a.ts`, lines 3–4:\n\n> +one\n> +two\n\nUse a list.\n\nOn your plan:\n\n> Delete all\n\nNo.',
  );
});

it('names its lines', () => {
  expect(targetName({ kind: 'diff', path: 'a', from: 3, to: 3, isOld: true })).toBe('a, line 3 before the change');
  expect(targetName({ kind: 'diff', path: 'a' })).toBe('a');
});
