import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import { errorText } from '../../../base/error-text.ts';
import { SingletreeError } from '../../../base/singletree-error.ts';
import { startFailure } from '../agent/failure-hint.ts';
import { OutputTail } from '../agent/output-tail.ts';
import { describeExit, outerSignals } from '../agent/run-translation.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import type { SessionProblem } from '../contract/live-channel.ts';
import type { ProcessExit } from '../../process/run-process.ts';

interface RunFailureOptions {
  readonly adapter: CliAdapter;
  readonly cwd: string;
  readonly runId: string;
}

/** The failure of a run: one event, explained by what its program printed and how it ended. */
export class RunFailure {
  readonly #options: RunFailureOptions;
  readonly #printed = new OutputTail();
  #exit: ProcessExit | undefined;
  #isReported = false;

  constructor(options: RunFailureOptions) {
    this.#options = options;
  }

  /** Whether the program has ended. */
  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** Registers what the channel emits, among it a failure that it reports itself. */
  watch(event: AgentEvent): void {
    this.#printed.continued(event);
    if (event.type === 'error' && event.fatal === true && event.runId === this.#options.runId) this.#isReported = true;
  }

  /** Keeps a line of stderr as an explanation. */
  addPrinted(text: string): void {
    this.#printed.add(text);
  }

  /** Registers the end of the program and returns it as a problem of the turn. */
  exited(exit: ProcessExit): SessionProblem {
    this.#exit = exit;
    return this.#describeExit(exit);
  }

  /** Returns the event of a problem; undefined when a failure of the run has been reported. */
  toEvent({ message, code }: SessionProblem): EventOf<'error'> | undefined {
    if (this.#isReported) return undefined;
    this.#isReported = true;
    return { type: 'error', runId: this.#options.runId, message, code, fatal: true };
  }

  /** Describes the failure of a turn that its program did not explain. */
  describeTurn(): SessionProblem {
    if (this.#exit !== undefined) return this.#describeExit(this.#exit);
    const { name } = this.#options.adapter;
    return { message: `${name} reported that the turn failed, without saying why.`, code: 'agent_failed' };
  }

  /** Completes the problem of a session that did not open: a program that ended meanwhile explains why on stderr. */
  describeOpening(problem: SessionProblem): SessionProblem {
    if (this.#exit !== undefined && problem.code === 'exit_code') return this.#describeExit(this.#exit);
    const printed = this.#printed.text;
    return problem.code === 'open_timeout' && printed !== ''
      ? { ...problem, message: `${problem.message} It printed: ${printed}` }
      : problem;
  }

  #describeExit({ failedToStart, ...exit }: ProcessExit): SessionProblem {
    const { adapter, cwd } = this.#options;
    if (failedToStart !== undefined) return startFailure(adapter, failedToStart, cwd);
    const ended = describeExit(adapter.id, exit) ?? `${adapter.id} ended in the middle of a turn`;
    const printed = this.#printed.text;
    const isExplained = printed !== '' && !(exit.signal != null && outerSignals.has(exit.signal));
    return { message: isExplained ? `${ended}: ${printed}` : `${ended}, without saying why.`, code: 'exit_code' };
  }
}

/** Returns an error of the run itself as a problem. */
export function toProblem(error: unknown): SessionProblem {
  return { message: errorText(error), code: SingletreeError.is(error) ? error.code : 'agent_failed' };
}
