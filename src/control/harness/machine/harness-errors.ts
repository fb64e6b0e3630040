import { SingletreeError } from '../../../base/singletree-error.ts';
import type { LiveTurn } from './live-turn.ts';

/** The error of a call on a destroyed harness. */
export function harnessDestroyed(): SingletreeError {
  return new SingletreeError('log_closed', 'The harness was destroyed. Create a new one.');
}

/** Creates the error of a message whose run continues without its harness. */
export function runDetached({ runId, thread }: LiveTurn): SingletreeError {
  return new SingletreeError(
    'run_detached',
    `The run "${runId}" was detached before it ended: its harness was destroyed, or another process took its thread over. Open the thread again to resume the run and to read its answer.`,
    { details: { runId, threadId: thread?.id } },
  );
}
