import type { LoggedEvent } from '../events/vocabulary.ts';

/** What an event takes in memory beside its texts, with what is made of it. */
const baseBytes = 800;
/** How many values of one event are looked at. */
const mostValues = 1_000;

/** About how many bytes an event takes in memory: from the lengths of its texts, which are not read. */
export function eventWeight(event: LoggedEvent): number {
  let bytes = baseBytes;
  const left: unknown[] = [event];
  for (let seen = 0; left.length > 0 && seen < mostValues; seen++) {
    const value = left.pop();
    if (typeof value === 'string') bytes += value.length;
    else if (typeof value !== 'object' || value === null) bytes += 8;
    else for (const key in value) left.push((value as Record<string, unknown>)[key]);
  }
  // What was not looked at is taken to be like the rest.
  return left.length === 0 ? bytes : bytes + Math.ceil((bytes / mostValues) * left.length);
}
