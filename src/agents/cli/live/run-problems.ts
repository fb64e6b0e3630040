import type { AgentEvent } from '../../../events/vocabulary.ts';
import { errorText } from '../../../base/error-text.ts';
import { OutputTail } from '../agent/output-tail.ts';
import type { ProcessExit } from '../../process/run-process.ts';
import type { CliAdapter } from '../contract/cli-adapter.ts';
import { codeOf, exitProblem, type SessionProblem, unexplained } from './session-problems.ts';

interface RunProblemsOptions {
  readonly adapter: CliAdapter;
  readonly cwd: string;
  readonly runId: string;
  /** Emits an event; resolves when it is stored. */
  readonly put: (event: AgentEvent) => Promise<void>;
}

/** The failure of a run: reported once, explained by what its program printed and how it ended. */
export class RunProblems {
  readonly #options: RunProblemsOptions;
  readonly #printed = new OutputTail();
  #exit: ProcessExit | undefined;
  #isReported = false;

  constructor(options: RunProblemsOptions) {
    this.#options = options;
  }

  /** Whether the program has ended. */
  get hasExited(): boolean {
    return this.#exit !== undefined;
  }

  /** Registers a failure that the channel itself reports. */
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
    return this.#exitProblem(exit);
  }

  /** Emits the failure; only the first one of a run. */
  async report({ message, code }: SessionProblem): Promise<void> {
    if (this.#isReported) return;
    this.#isReported = true;
    await this.#options.put({ type: 'error', runId: this.#options.runId, message, code, fatal: true });
  }

  /** Emits an error of the run itself. */
  reportError(error: unknown): Promise<void> {
    return this.report({ message: errorText(error), code: codeOf(error) });
  }

  /** Emits the failure of a turn that its program did not explain. */
  reportUnexplained(): Promise<void> {
    return this.report(this.#exit === undefined ? unexplained(this.#options.adapter) : this.#exitProblem(this.#exit));
  }

  /** Completes the problem of a session that did not open: a program that ended meanwhile explains why on stderr. */
  opening(problem: SessionProblem): SessionProblem {
    if (this.#exit !== undefined && problem.code === 'exit_code') return this.#exitProblem(this.#exit);
    const printed = this.#printed.text;
    return problem.code === 'open_timeout' && printed !== ''
      ? { ...problem, message: `${problem.message} It printed: ${printed}` }
      : problem;
  }

  #exitProblem(exit: ProcessExit): SessionProblem {
    const { adapter, cwd } = this.#options;
    return exitProblem(adapter, exit, { cwd, printed: this.#printed.text });
  }
}
