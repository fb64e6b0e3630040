import { SingletreeError } from '../../../src/base/singletree-error.ts';

/** Returns why no news come, in words: no network, a server that answers with errors, or a lost connection. */
export function lossText(isOnline: boolean, error: unknown): string {
  if (!isOnline) return 'You are offline. What you read here may be out of date.';
  const status = SingletreeError.is(error) ? error.details['status'] : undefined;
  if (typeof status === 'number' && status >= 500)
    return `The server answers with an error (HTTP ${status}). Trying again…`;
  return 'Connection lost. Trying again…';
}
