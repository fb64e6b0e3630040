import type { AgentEvent, SingletreeError } from '../../events/index.ts';

export interface OutageReportsOptions {
  /** Reports one line to a person. */
  readonly report: (line: string) => void;
  /** Puts an event into the log of every run that waited in a thread. */
  readonly mark: (threadId: string, event: (runId: string) => AgentEvent) => void;
}

/** Says that the log cannot be written: once for all threads to the person, and later in the log of each run. */
export class OutageReports {
  readonly #options: OutageReportsOptions;
  readonly #threads = new Set<string>();

  constructor(options: OutageReportsOptions) {
    this.#options = options;
  }

  begin(threadId: string, error: SingletreeError): void {
    const isFirst = this.#threads.size === 0;
    this.#threads.add(threadId);
    if (isFirst) this.#options.report(`${error.message} Runs wait until the log can be written.`);
  }

  end(threadId: string, { code, message: why }: SingletreeError, milliseconds: number): void {
    this.close(threadId);
    if (this.#threads.size === 0) this.#options.report('The log can be written again.');
    const message = `The run waited ${Math.ceil(milliseconds / 1000)} s because the log could not be written: ${why}`;
    this.#options.mark(threadId, runId => ({ type: 'warning', runId, code, message }));
  }

  /** No run of the thread waits any more. */
  close(threadId: string): void {
    this.#threads.delete(threadId);
  }
}
