import type { Agent, InvokeParams } from '../../agents/agent.ts';
import type { AgentEvent } from '../../events/index.ts';

/** What a run is given beside what its invoker gives it. */
export interface Drive {
  readonly prepare: (params: InvokeParams) => Promise<Partial<InvokeParams>>;
  /** Whether the run ends here, before the step with this number. */
  readonly endsBefore?: (step: number) => boolean;
  /** Told every event of the run and of those below it. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** The same agent, driven: it is given more, watched, and can be ended between two steps. */
export function drivenAgent(agent: Agent, drive: Drive): Agent {
  return {
    id: agent.id,
    ...(agent.resumable !== undefined && { resumable: agent.resumable }),
    invoke: params => new DrivenRun(agent, params, drive),
  };
}

class DrivenRun implements AsyncIterableIterator<AgentEvent> {
  readonly #agent: Agent;
  readonly #params: InvokeParams;
  readonly #drive: Drive;
  #events: AsyncIterator<AgentEvent> | undefined;
  #isOver = false;

  constructor(agent: Agent, params: InvokeParams, drive: Drive) {
    this.#agent = agent;
    this.#params = params;
    this.#drive = drive;
  }

  async next(): Promise<IteratorResult<AgentEvent>> {
    if (this.#isOver) return { done: true, value: undefined };
    this.#events ??= await this.#begin();
    const next = await this.#events.next();
    if (next.done === true) return next;
    if (next.value.type === 'step_start' && this.#endsBefore(next.value)) return this.#end();
    this.#drive.onEvent?.(next.value);
    return next;
  }

  async return(): Promise<IteratorResult<AgentEvent>> {
    this.#isOver = true;
    await this.#events?.return?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #begin(): Promise<AsyncIterator<AgentEvent>> {
    const more = await this.#drive.prepare(this.#params);
    return this.#agent.invoke({ ...this.#params, ...more })[Symbol.asyncIterator]();
  }

  #endsBefore({ runId, step }: Extract<AgentEvent, { type: 'step_start' }>): boolean {
    return runId === this.#params.runId && this.#drive.endsBefore?.(step) === true;
  }

  async #end(): Promise<IteratorResult<AgentEvent>> {
    await this.return();
    const { runId } = this.#params;
    return { done: false, value: { type: 'harness_end', runId, agentId: this.#agent.id, reason: 'complete' } };
  }
}
