import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { stopWith } from './stop-with.ts';

describe('a linked abort controller', () => {
  it('aborts with the first of the two, and then releases both', () => {
    for (const isOwn of [true, false]) {
      const above = new AbortController();
      const stop = stopWith(above.signal);
      expect(stop.signal.aborted).toBe(false);
      const [first, second] = isOwn ? [stop, above] : [above, stop];
      first.abort('enough');
      second.abort('too late');
      expect([stop.signal.aborted, stop.signal.reason]).toEqual([true, 'enough']);
      expect(getEventListeners(above.signal, 'abort')).toEqual([]);
    }
  });

  it('does not abort after it was detached', () => {
    const above = new AbortController();
    const stop = stopWith(above.signal);
    stop.leave();
    expect(getEventListeners(above.signal, 'abort')).toEqual([]);
    above.abort();
    stop.abort();
    expect(stop.signal.aborted).toBe(false);
  });

  it('is aborted when the other was aborted before', () => {
    expect(stopWith(AbortSignal.abort('before')).signal.reason).toBe('before');
  });

  it('can be created many times from one signal without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const above = new AbortController();
    const stops = Array.from({ length: 30 }, () => stopWith(above.signal));
    await new Promise(resolve => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    above.abort();
    expect(stops.every(({ signal }) => signal.aborted)).toBe(true);
  });
});
