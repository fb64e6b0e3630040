import { describe, expect, it } from 'vitest';
import { textOfLine } from '../screen/styled-line.ts';
import { type Activity, activityLine } from './status-line.ts';

const lineOf = (activity: Partial<Activity>, width = 80) =>
  textOfLine(
    activityLine({ words: 'Writing', lastAt: undefined, now: 60_000, isStoppable: true, ...activity }, width),
  ).slice(2);

describe('the line about what runs', () => {
  it('names what is done and for how long, and when the next try is', () => {
    expect(lineOf({ since: 47_400 })).toBe('Writing · 12 s · Esc stops');
    expect(lineOf({ words: 'Rate limited', until: 62_900 })).toBe('Rate limited, next try in 3 s · Esc stops');
    expect(lineOf({ since: 59_500, isStoppable: false })).toBe('Writing');
    expect(lineOf({ since: 10_000, lastAt: 20_000 })).toBe('Writing · 50 s · no output for 40 s · Esc stops');
  });

  it('leaves out what does not fit', () => {
    expect(lineOf({ since: 47_400 }, 24)).toBe('Writing · 12 s');
  });
});
