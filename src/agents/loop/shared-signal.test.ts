import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { sharedSignal } from './shared-signal.ts';

describe('a signal that is shared', () => {
  it('aborts with the first of its signals, which then know nothing of it', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const signal = sharedSignal(one.signal, other.signal);
    expect(signal.aborted).toBe(false);
    other.abort('enough');
    one.abort('too late');
    expect([signal.aborted, signal.reason]).toEqual([true, 'enough']);
    expect([one, other].map(controller => getEventListeners(controller.signal, 'abort'))).toEqual([[], []]);
  });

  it('is aborted when one of them was before', () => {
    expect(sharedSignal(new AbortController().signal, AbortSignal.abort('before')).reason).toBe('before');
  });

  it('may be made many times of the same ones without a warning', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const common = new AbortController();
    const own = Array.from({ length: 30 }, () => new AbortController());
    const shared = own.map(({ signal }) => sharedSignal(common.signal, signal));
    await new Promise(resolve => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
    common.abort();
    expect(shared.every(({ aborted }) => aborted)).toBe(true);
  });
});
