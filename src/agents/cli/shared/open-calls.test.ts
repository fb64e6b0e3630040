import { describe, expect, it } from 'vitest';
import { OpenCalls } from './open-calls.ts';

const call = { runId: 'r', name: 'Read', input: {} };

describe('calls and results', () => {
  it('are paired once by the id of the program', () => {
    const calls = new OpenCalls();
    calls.add('a', call);
    expect(calls.settle('a')).toMatchObject({ id: 'r/a', name: 'Read' });
    expect(calls.settle('a')).toBeUndefined();
  });

  it('are not paired when two calls have the id', () => {
    const calls = new OpenCalls();
    calls.add('a', call);
    calls.add('a', call);
    expect(calls.settle('a')).toBe('ambiguous');
  });

  it('have ids of their own when the program uses one again', () => {
    const calls = new OpenCalls();
    calls.add('a', call);
    calls.settle('a');
    expect(calls.add('a', call).id).toBe('r/a#2');
    expect(calls.settle('a')).toMatchObject({ id: 'r/a#2' });
  });

  it('are dropped, the oldest first, when there are too many', () => {
    const calls = new OpenCalls();
    for (let i = 0; i <= 10_000; i++) calls.add(`${i}`, call);
    expect(calls.find('0')).toBeUndefined();
    expect(calls.find('1')).toBeDefined();
  });
});
