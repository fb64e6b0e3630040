import { describe, expect, it } from 'vitest';
import { parseCode } from './code-fences.ts';

describe('the code of an answer', () => {
  it.each([
    [
      'in a fence of js, javascript or repl',
      'Look:\n```js\na\n```\nthen\n```JavaScript\nb\n```\n~~~repl\nc\n~~~',
      'a\nb\nc',
    ],
    [
      'with its fences joined in order, others left out',
      '```js\na\n```\n```json\n{}\n```\n```\nx\n```\n```js\nb\n```',
      'a\nb',
    ],
    ['that shows a shorter fence', '````js\nf(`\n```js\nx\n```\n`)\n````', 'f(`\n```js\nx\n```\n`)'],
    ['with the line ends of Windows', '```js\r\na\r\nb\r\n```\r\n', 'a\nb'],
    ['indented by a list', '1. So:\n   ```js\n   a\n   ```', 'a'],
  ])('is found %s', (_, answer, code) => {
    expect(parseCode(answer)).toEqual({ code, unclosed: false });
  });

  it.each([
    ['an answer in prose', 'The answer is `42`.'],
    ['an empty fence', '```js\n\n```'],
    ['another language', '```python\nprint(1)\n```'],
  ])('is absent from %s', (_, answer) => {
    expect(parseCode(answer)).toEqual({ unclosed: false });
  });

  it('that was cut off is not code: half a program does something else', () => {
    expect(parseCode('```js\ndeleteAll(1')).toEqual({ unclosed: true });
    expect(parseCode('```js\na\n```\n```js\nb')).toEqual({ code: 'a', unclosed: true });
  });
});
