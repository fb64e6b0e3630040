/** Waits for a later answer; rejects with "Aborted" when the signal aborts first. */
export function untilAnswered<Answer>(
  signal: AbortSignal | undefined,
  ask: (resolve: (answer: Answer) => void) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new DOMException('Aborted', 'AbortError'));
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort, { once: true });
    ask(answer => {
      signal?.removeEventListener('abort', abort);
      resolve(answer);
    });
  });
}
