import { expect, it } from 'vitest';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { prepareAppend, raiseTimes, storedAppend } from './prepared-append.ts';

const encoding = { now: () => 0, maxEventBytes: 2 ** 20 };
const custom = (data: unknown): AgentEvent => ({ type: 'custom', runId: 'run', name: 'n', data });

it('writes the seq in its place, also when the event has the same field and number elsewhere', () => {
  const numbers = Array.from({ length: 4 }, (_, n) => ({ seq: 9 * 10 ** 15 - n * 10 ** 9 }));
  const events = [custom(numbers), { ...custom(numbers), seq: 7, ts: '2025-01-01T00:00:00.000Z' }];
  const { events: stored, bodies } = storedAppend(prepareAppend(events, encoding), 41);
  expect(bodies).toEqual([
    JSON.stringify({ ...custom(numbers), seq: 41, ts: new Date(0).toISOString() }),
    JSON.stringify({ ...custom(numbers), seq: 42, ts: '2025-01-01T00:00:00.000Z' }),
  ]);
  expect(stored.map(({ seq }) => seq)).toEqual([41, 42]);
});

it('raises the times of the same append to that of an earlier event', () => {
  const late = '2025-01-01T00:00:00.000Z';
  const prepared = prepareAppend([custom(1), { ...custom(2), ts: '2026-01-01T00:00:00.000Z' }], encoding);
  const raised = raiseTimes(prepared, late);
  expect(raised.id).toBe(prepared.id);
  expect(storedAppend(raised, 3).bodies).toEqual([
    JSON.stringify({ ...custom(1), seq: 3, ts: late }),
    JSON.stringify({ ...custom(2), ts: '2026-01-01T00:00:00.000Z', seq: 4 }),
  ]);
});
