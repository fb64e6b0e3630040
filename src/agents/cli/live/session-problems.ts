import { SingletreeError } from '../../../base/singletree-error.ts';
import { startFailure } from '../agent/failure-hint.ts';
import { exitOf, outerSignals } from '../agent/run-translation.ts';
import type { ProcessExit } from '../../process/run-process.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';

/** Why a session cannot be used, as data of an `error` event. */
export interface SessionProblem {
  readonly message: string;
  readonly code: string;
}

/** The problem of a program that does not open its session in time. */
export function openTimeout({ name, executable, isLiveOnly }: CliAdapter, ms: number): SessionProblem {
  const print = isLiveOnly === true ? '' : ', or use print mode (--print, `channel: "print"`), which asks nobody';
  const message = `${name} did not open its session within ${ms / 1000} s, which is its limit, and was ended. Start "${executable}" in a terminal to see what it waits for, or raise the limit (\`openTimeoutMs\`)${print}.`;
  return { message, code: 'open_timeout' };
}

/** The problem of a program that ended; `printed` is the end of what it wrote to stderr. */
export function exitProblem(
  adapter: CliAdapter,
  { failedToStart, ...exit }: ProcessExit,
  { cwd, printed }: { readonly cwd: string; readonly printed: string },
): SessionProblem {
  if (failedToStart !== undefined) return startFailure(adapter, failedToStart, cwd);
  const ended = exitOf(adapter.id, exit) ?? `${adapter.id} ended in the middle of a turn`;
  const isExplained = printed !== '' && !(exit.signal != null && outerSignals.has(exit.signal));
  return { message: !isExplained ? `${ended}, without saying why.` : `${ended}: ${printed}`, code: 'exit_code' };
}

/** The problem of a turn that failed without an error. */
export function unexplained({ name }: CliAdapter): SessionProblem {
  return { message: `${name} reported that the turn failed, without saying why.`, code: 'agent_failed' };
}

/** Returns the code of a failure of the run itself. */
export function codeOf(error: unknown): string {
  return SingletreeError.is(error) ? error.code : 'agent_failed';
}
