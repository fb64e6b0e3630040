import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseObservations } from './observer.ts';
import { cutIntoBatches, renderSpans } from './render-messages.ts';

describe('what an observer is sent', () => {
  it('names who said what, and when', () => {
    const spans = [
      { ts: '2026-03-14T09:15:00.000Z', messages: [{ role: 'user' as const, content: 'Read it.' }] },
      {
        messages: [
          {
            role: 'assistant' as const,
            content: [{ type: 'tool_call' as const, id: 'c', name: 'read', input: { a: 1 } }],
          },
          {
            role: 'tool' as const,
            content: [{ type: 'tool_result' as const, id: 'c', name: 'read', output: { context: 'Done.' } }],
          },
        ],
      },
    ];
    expect(renderSpans(spans)).toBe(
      'User (2026-03-14 09:15):\nRead it.\n\nAssistant:\n[calls read: {"a":1}]\n\nTool results:\n[result of read: Done.]',
    );
  });

  it('is cut into batches without losing anything', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ maxLength: 400, unit: 'grapheme' }),
        fc.integer({ min: 1, max: 40 }),
        async (text, most) => {
          const batches = await cutIntoBatches(text, most);
          expect(batches.join('')).toBe(text);
          expect(batches.filter(batch => /^\p{Cs}|\p{Cs}$/u.test(batch))).toEqual([]);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('what an observer returns', () => {
  it('is read section by section, also when one is not closed', () => {
    expect(
      parseObservations(
        'Sure!\n<observations>\n* a\n</observations><current-task>b</current-task><suggested-response>c',
      ),
    ).toEqual({ text: '* a', currentTask: 'b', suggestedResponse: 'c' });
    expect(parseObservations('<observations>* a<current-task>b')).toEqual({ text: '* a', currentTask: 'b' });
  });

  it('is nothing without observations', () => {
    for (const answer of ['', 'I like turtles.', '<observations> </observations>', '<current-task>a</current-task>'])
      expect(parseObservations(answer)).toBe(undefined);
  });
});
