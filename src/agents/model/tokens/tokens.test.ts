import { expect, it } from 'vitest';
import type { Message } from '../../../projections/message.ts';
import { countTokens, mostTokens } from './tokens.ts';

it.each(['plain words', 'ｗｉｄｅ', '𠮷㐂龘', '\ud800', '🧭'.repeat(50)])(
  'there are never more tokens than at most: %s',
  async content => {
    const messages: Message[] = [{ role: 'user', content }];
    expect(await countTokens(messages)).toBeLessThanOrEqual(mostTokens(messages));
  },
);
