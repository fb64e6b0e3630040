import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseSystemReminder, getRole, systemReminderText, withMetadata } from './system-reminder.ts';

describe('a system reminder', () => {
  it('round-trips', () => {
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

  it('is shown as a user message, unless it names another role', () => {
    expect(getRole(systemReminderText({ message: 'x' }))).toBe('user');
    expect(getRole(systemReminderText({ message: 'x' }, 'system'))).toBe('system');
    expect(getRole(systemReminderText({ message: 'x' }, 'assistant'))).toBe('assistant');
    expect(getRole('<system-reminder role="king">x</system-reminder>')).toBe('user');
    expect(getRole('role="system"')).toBe('user');
  });

  it('stores metadata in its fields, and the rest in metadata', () => {
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

  it('is read even when its metadata is malformed', () => {
    expect(parseSystemReminder('<system-reminder metadata="{">x</system-reminder>')).toEqual({ message: 'x' });
  });

  it('is a whole text, not a part of one', () => {
    expect(parseSystemReminder('See <system-reminder>x</system-reminder>')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder> ok')).toBeUndefined();
    expect(parseSystemReminder('<system-reminder>x</system-reminder>')).toEqual({ message: 'x' });
  });
});
