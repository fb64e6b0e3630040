import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSystemReminder, systemReminderText } from './system-reminder.ts';

describe('a system reminder', () => {
  it('comes back as it was written', () => {
    const reminder = fc.record(
      {
        message: fc.string({ unit: 'binary' }),
        reminderType: fc.string(),
        path: fc.string(),
        precedesMessageId: fc.string(),
        gapText: fc.string(),
        gapMs: fc.nat(),
        timestamp: fc.string(),
        goalMaxTurns: fc.nat(),
        judgeModelId: fc.string(),
      },
      { requiredKeys: ['message'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(reminder, given => {
        expect(parseSystemReminder(systemReminderText(given))).toEqual(given);
      }),
    );
  });

  it('is a whole text, not a part of one', () => {
    expect(parseSystemReminder('See <system-reminder>x</system-reminder>')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder> ok')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder>')).toEqual({ message: 'x' });
  });
});
