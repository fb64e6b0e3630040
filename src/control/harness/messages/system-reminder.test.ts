import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSystemReminder, roleOf, systemReminderText, withMetadata } from './system-reminder.ts';

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
        metadata: fc.dictionary(fc.string(), fc.string(), { noNullPrototype: true, minKeys: 1 }),
      },
      { requiredKeys: ['message'], noNullPrototype: true },
    );
    fc.assert(
      fc.property(reminder, given => {
        expect(parseSystemReminder(systemReminderText(given))).toEqual(given);
      }),
    );
  });

  it('is shown as a message of a person, unless it says another role', () => {
    expect(roleOf(systemReminderText({ message: 'x' }))).toBe('user');
    expect(roleOf(systemReminderText({ message: 'x' }, 'system'))).toBe('system');
    expect(roleOf(systemReminderText({ message: 'x' }, 'assistant'))).toBe('assistant');
    expect(roleOf('<system-reminder role="king">x</system-reminder>')).toBe('user');
    expect(roleOf('role="system"')).toBe('user');
  });

  it('has metadata in the fields it has for it, and the rest together', () => {
    const reminder = { message: 'x', reminderType: 't' };
    const metadata = { path: '/a', gapMs: 5, gapText: 7, message: 'y', reminderType: 'z', more: [1] };
    expect(withMetadata(reminder, metadata)).toEqual({
      ...reminder,
      path: '/a',
      gapMs: 5,
      metadata: { gapText: 7, message: 'y', reminderType: 'z', more: [1] },
    });
    expect(withMetadata(reminder)).toEqual(reminder);
  });

  it('is read though its metadata is not', () => {
    expect(parseSystemReminder('<system-reminder metadata="{">x</system-reminder>')).toEqual({ message: 'x' });
  });

  it('is a whole text, not a part of one', () => {
    expect(parseSystemReminder('See <system-reminder>x</system-reminder>')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder> ok')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder>')).toEqual({ message: 'x' });
  });
});
