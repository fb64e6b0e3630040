import { setMaxListeners } from 'node:events';

/**
 * A controller whose signal aborts with another one, too; any number of tasks may listen to both. It has to abort some
 * time: until then the other knows of it.
 */
export function stopWith(above: AbortSignal): Pick<AbortController, 'signal' | 'abort'> {
  const stop = new AbortController();
  const { signal } = stop;
  setMaxListeners(0, signal, above);
  const follow = () => stop.abort(above.reason);
  if (above.aborted) follow();
  else above.addEventListener('abort', follow);
  return {
    signal,
    abort: reason => {
      above.removeEventListener('abort', follow);
      stop.abort(reason);
    },
  };
}
