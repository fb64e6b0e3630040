import { setMaxListeners } from 'node:events';

/** A signal that aborts with any of these, and that any number of tasks may listen to. */
export function sharedSignal(...signals: AbortSignal[]): AbortSignal {
  const signal = AbortSignal.any(signals);
  setMaxListeners(0, signal);
  return signal;
}
