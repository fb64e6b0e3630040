import { setMaxListeners } from 'node:events';

/**
 * A controller whose signal aborts with another one, too; any number of tasks may listen to both. It has to abort some
 * time: until then the other knows of it.
 */
export function stopWith(above: AbortSignal): AbortController {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal, above);
  const follow = () => stop.abort(above.reason);
  if (above.aborted) follow();
  else {
    above.addEventListener('abort', follow);
    stop.signal.addEventListener('abort', () => above.removeEventListener('abort', follow));
  }
  return stop;
}
