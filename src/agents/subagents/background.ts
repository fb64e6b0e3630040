import type { AgentEvent, EventOf } from '../../events/vocabulary.ts';
import { toToolOutput } from '../../events/tools.ts';
import type { RunState } from '../../projections/run-state.ts';
import type { RunResult } from '../contract/run-result.ts';
import { settledChild } from './child-run.ts';

/** A subagent that keeps running after the call that started it has its result. */
interface BackgroundRun {
  readonly agentId: string;
  readonly runId: string;
  readonly start: (signal: AbortSignal) => Promise<RunResult>;
}

/** The background subagents of a run, and the outcomes of those that ended. */
export class Background {
  readonly #runId: string;
  readonly #signal: AbortSignal;
  /** Aborts the runs; created with the first one. */
  #stop: { readonly controller: AbortController; readonly signal: AbortSignal } | undefined;
  readonly #running = new Set<Promise<void>>();
  #ended: EventOf<'user'>[] = [];

  constructor(runId: string, signal: AbortSignal) {
    this.#runId = runId;
    this.#signal = signal;
  }

  get isActive(): boolean {
    return this.#running.size > 0;
  }

  add({ agentId, start }: BackgroundRun): void {
    const running = start(this.#runSignal()).then(
      result => this.#report(agentId, result),
      () => {},
    );
    this.#running.add(running);
    void running.then(() => this.#running.delete(running));
  }

  /** Returns the messages for the model about runs that ended since the last call. */
  take(): readonly EventOf<'user'>[] {
    const ended = this.#ended;
    this.#ended = [];
    return ended;
  }

  /** Resolves when any of the runs ends. */
  async oneEnded(): Promise<void> {
    await Promise.race(this.#running);
  }

  /** Aborts all runs and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop?.controller.abort(new Error('The run that started it ended.'));
    await Promise.all(this.#running);
  }

  /**
   * Restores the state after a crash: runs that ended with their process, and runs whose outcome was not reported yet.
   */
  async resume(state: RunState, put: (event: AgentEvent) => Promise<void>): Promise<void> {
    const reported = new Set(state.events.flatMap(event => (event.type === 'user' && event.id ? [event.id] : [])));
    for (const event of state.events) {
      if (event.type !== 'tool_result' || !isBackground(event.output)) continue;
      for (const child of state.children.get(event.id) ?? [])
        if (!reported.has(outcomeId(child.runId)))
          this.#report(child.agentId ?? 'unknown', await settledChild(child, put));
    }
  }

  #runSignal(): AbortSignal {
    if (this.#stop === undefined) {
      const controller = new AbortController();
      this.#stop = { controller, signal: AbortSignal.any([this.#signal, controller.signal]) };
    }
    return this.#stop.signal;
  }

  #report(agentId: string, { runId, text, error }: RunResult): void {
    const outcome = error === undefined ? `ended:\n\n${text}` : `failed: ${error.message}`;
    this.#ended.push({
      type: 'user',
      runId: this.#runId,
      id: outcomeId(runId),
      by: agentId,
      automatic: true,
      content: `The subagent "${agentId}" that runs in the background as ${runId} ${outcome}`,
    });
  }
}

function isBackground(given: unknown): boolean {
  const output = toToolOutput(given);
  const result = 'context' in output ? output.result : undefined;
  return typeof result === 'object' && result !== null && 'background' in result && result.background === true;
}

function outcomeId(runId: string): string {
  return `${runId}:outcome`;
}
