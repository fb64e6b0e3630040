import { setMaxListeners } from 'node:events';

export interface Stop extends Pick<AbortController, 'signal' | 'abort'> {
  /** Nobody listens any more: it does not abort from now on. */
  leave(): void;
}

/**
 * A controller whose signal aborts with another one, too; any number of tasks may listen to both. It has to abort some
 * time, or to be left: until then the other knows of it.
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
