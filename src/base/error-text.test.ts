import { expect, it } from 'vitest';
import { errorText } from './error-text.ts';

it('says what was thrown, whatever it is', () => {
  expect([new Error('No.'), new TypeError(), 'words', undefined].map(errorText)).toEqual([
    'No.',
    'TypeError',
    'words',
    'undefined',
  ]);
});
