import { expect, it } from 'vitest';
import type { ToolOutput } from '../../../events/tools.ts';
import type { Message } from '../../../projections/message.ts';
import { countTokens, mostTokens } from './tokens.ts';

it('counts of a tool result what a model is sent', async () => {
  const resultOf = (output: ToolOutput): Message[] => [
    { role: 'tool', content: [{ type: 'tool_result', id: 'c', name: 't', output }] },
  ];
  const page = 'word '.repeat(100).trim();
  const said = await countTokens([{ role: 'user', content: page }]);
  expect(await countTokens(resultOf({ context: page }))).toBe(said);
  expect(await countTokens(resultOf({ context: page, result: { page, more: page } }))).toBe(said);
  expect(await countTokens(resultOf({ error: page, result: { page } }))).toBe(said);
});

it.each(['plain words', 'ｗｉｄｅ', '𠮷㐂龘', '\ud800', '🧭'.repeat(50)])(
  'there are never more tokens than at most: %s',
  async content => {
    const messages: Message[] = [{ role: 'user', content }];
    expect(await countTokens(messages)).toBeLessThanOrEqual(mostTokens(messages));
  },
);
