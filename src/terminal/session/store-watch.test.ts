import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.ts';
import { StoreWatch } from './store-watch.ts';

describe('the watch of a store', () => {
  it('reports once that the store fails or does not answer, and once that it can be used again', async () => {
    const clock = new ManualClock();
    const pass = async (ms: number) => {
      for (let passed = 0; passed <= ms; passed += 500) {
        clock.advance(Math.min(500, ms));
        await new Promise(setImmediate);
      }
    };
    const reported: (string | undefined)[] = [];
    let answer: () => Promise<void> = async () => {};
    const watch = new StoreWatch({ probe: () => answer(), clock, onChange: problem => reported.push(problem) });
    await pass(10_000);
    expect(reported).toEqual([]);
    answer = () => Promise.reject(new Error('No such file.'));
    await pass(10_000);
    expect(reported).toEqual(['No such file.']);
    answer = async () => {};
    await pass(10_000);
    expect(reported).toEqual(['No such file.', undefined]);
    let resume = () => {};
    answer = () => new Promise(resolve => (resume = resolve));
    await pass(60_000);
    expect(reported).toEqual(['No such file.', undefined, 'It does not answer.']);
    resume();
    await pass(0);
    expect(reported.at(-1)).toBeUndefined();
    watch.stop();
  });
});
