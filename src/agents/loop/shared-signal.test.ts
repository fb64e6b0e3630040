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
});
