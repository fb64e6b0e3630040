/** Resolves in the next turn of the event loop, so that whatever else waits is served first. */
export function nextTurn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}
