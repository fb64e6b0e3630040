import { setMaxListeners } from 'node:events';

export interface Stop extends Pick<AbortController, 'signal' | 'abort'> {
  /** Detaches from the other signal: it no longer aborts with it. */
  leave(): void;
}

/**
 * Creates a controller whose signal also aborts with another one; any number of tasks may listen to both. The caller
 * has to abort or detach it eventually: until then the other signal references it.
 */
export function stopWith(above: AbortSignal): Stop {
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal, above);
  const follow = () => stop.abort(above.reason);
  if (above.aborted) follow();
  else above.addEventListener('abort', follow);
  let isLeft = false;
  const leave = () => {
    isLeft = true;
    above.removeEventListener('abort', follow);
  };
  const abort = (reason?: unknown) => {
    if (isLeft) return;
    leave();
    stop.abort(reason);
  };
  return { signal, abort, leave };
}
