import { SingletreeError } from '../../../base/singletree-error.ts';

/** The error of a call on a destroyed harness. */
export function harnessDestroyed(): SingletreeError {
  return new SingletreeError('log_closed', 'The harness was destroyed. Create a new one.');
}
