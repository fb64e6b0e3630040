import { expect, it } from 'vitest';
import { DatabaseClock } from './database-clock.ts';

it('is corrected by the times that the database reports, as far as the answer leaves no doubt', () => {
  let monotonic = 1_000;
  const clock = new DatabaseClock(() => monotonic);
  let measured = clock.measure();
  monotonic += 10;
  measured(50_000);
  // The database read its clock at some moment of these 10 ms.
  expect(clock.now()).toBeGreaterThanOrEqual(50_000);
  expect(clock.now()).toBeLessThanOrEqual(50_010);
  monotonic += 500;
  const before = clock.now();
  measured = clock.measure();
  monotonic += 20;
  measured(before + 5);
  expect(clock.now()).toBe(before + 20);
  measured = clock.measure();
  measured(10_000);
  expect(clock.now()).toBe(10_000);
});
