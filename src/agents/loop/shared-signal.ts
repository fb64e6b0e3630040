import { setMaxListeners } from 'node:events';

/**
 * A signal that aborts with the first of these; any number of tasks may listen to it and share the others. One of them
 * has to abort some time: until then the others know of it.
 */
export function sharedSignal(...signals: AbortSignal[]): AbortSignal {
  const shared = new AbortController();
  setMaxListeners(0, shared.signal, ...signals);
  const abort = () => {
    for (const signal of signals) signal.removeEventListener('abort', abort);
    shared.abort(signals.find(({ aborted }) => aborted)?.reason);
  };
  for (const signal of signals) signal.addEventListener('abort', abort);
  if (signals.some(({ aborted }) => aborted)) abort();
  return shared.signal;
}
