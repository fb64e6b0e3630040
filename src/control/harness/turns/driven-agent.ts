import { defined } from '../../../base/defined.ts';
import type { Agent, HostParams, InvokeParams } from '../../../agents/contract/agent.ts';
import type { RunParams } from '../../../agents/contract/run-params.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';

/** The parameters that a run gets in addition; each replaces the one of the same name. */
export interface RunAddition {
  readonly run?: Partial<RunParams>;
  readonly host?: HostParams;
}

/** How a run of an agent is driven. */
export interface Drive {
  readonly prepare: (params: InvokeParams) => Promise<RunAddition>;
  /** Whether the run ends before the step with this number. */
  readonly endsBefore?: (step: number) => boolean | Promise<boolean>;
  /** Receives every event of the run and of its child runs. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** Wraps an agent: adds parameters, observes its events, and can end it between two steps. */
export function drivenAgent(agent: Agent, drive: Drive): Agent {
  return {
    id: agent.id,
    ...defined({ abilities: agent.abilities }),
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
    this.#events ??= await this.#begin();
    // A run that was returned in the meantime does not start.
    if (this.#isOver) return { done: true, value: undefined };
    const next = await this.#events.next();
    if (next.done === true) return next;
    const { type, runId } = next.value;
    if (type === 'step_start' && runId === this.#params.run.runId && (await this.#drive.endsBefore?.(next.value.step)))
      return this.#end();
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
    const { run, conversation, host } = this.#params;
    const params = { run: { ...run, ...more.run }, conversation, host: { ...host, ...more.host } };
    return this.#agent.invoke(params)[Symbol.asyncIterator]();
  }

  async #end(): Promise<IteratorResult<AgentEvent>> {
    await this.return();
    const { runId } = this.#params.run;
    return { done: false, value: { type: 'harness_end', runId, agentId: this.#agent.id, reason: 'complete' } };
  }
}
