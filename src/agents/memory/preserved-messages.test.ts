import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compactionMessage } from '../../projections/model-input/summary-messages.ts';
import { preservedMessages, withPreserved } from './preserved-messages.ts';

const user = (content: string) => ({ role: 'user' as const, content });

describe('words that a summary keeps', () => {
  it('are those of people, also of an earlier summary, whatever they and the summary contain', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ minLength: 1 }), { minLength: 1 }),
        fc.string(),
        fc.string(),
        (said, next, summary) => {
          const words = preservedMessages(said.map(user), 1_000);
          const again = preservedMessages([compactionMessage(withPreserved(summary, words)), user(next)], 1_000);
          expect(again).toBe(`${words}\n\n---\n\n${next}`);
          for (const text of said) expect(again).toContain(text);
        },
      ),
    );
  });

  it('lose the middle of the longest message only when all of them are too long', () => {
    const long = 'a'.repeat(50) + 'b'.repeat(50);
    expect(preservedMessages([user('short'), user(long)], 200)).toBe(`short\n\n---\n\n${long}`);
    expect(preservedMessages([user('short'), user(long)], 25)).toBe(
      `short\n\n---\n\n${'a'.repeat(10)}\n[80 characters are left out here]\n${'b'.repeat(10)}`,
    );
  });
});
