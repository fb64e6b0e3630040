import { SingletreeError } from '../../../src/base/singletree-error.ts';

/** Explains a lost connection in words: no network, a server that answers with errors, or an interrupted stream. */
export function lossText(isOnline: boolean, error: unknown): string {
  if (!isOnline) return 'You are offline. What you read here may be out of date.';
  const status = SingletreeError.is(error) ? error.details['status'] : undefined;
  if (typeof status === 'number' && status >= 500)
    return `The server answers with an error (HTTP ${status}). Trying again…`;
  return 'Connection lost. Trying again…';
}
