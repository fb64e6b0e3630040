import type { Agent, InvokeParams } from '../../agents/agent.ts';
import type { AgentEvent, EventOf } from '../../events/index.ts';

/** What a run is given beside what its invoker gives it. */
export interface Drive {
  /** What the run's first event tells beside what the agent puts there. */
  readonly starts?: (runId: string) => Partial<EventOf<'harness_start'>>;
  readonly prepare: (params: InvokeParams) => Promise<Partial<InvokeParams>>;
  /** Whether the run ends here, before the step with this number. */
  readonly endsBefore?: (step: number) => boolean | Promise<boolean>;
  /** Told every event of the run and of those below it. */
  readonly onEvent?: (event: AgentEvent) => void;
}

/** The same agent, driven: it is given more, watched, and can be ended between two steps. */
export function drivenAgent(agent: Agent, { starts, prepare, endsBefore, onEvent }: Drive): Agent {
  async function* invoke(params: InvokeParams): AsyncGenerator<AgentEvent> {
    for await (const event of agent.invoke({ ...params, ...(await prepare(params)) })) {
      const isStep = event.type === 'step_start' && event.runId === params.runId;
      if (isStep && (await endsBefore?.(event.step)) === true) {
        yield { type: 'harness_end', runId: params.runId, agentId: agent.id, reason: 'complete' };
        return;
      }
      onEvent?.(event);
      const isStart = event.type === 'harness_start' && event.runId === params.runId;
      yield isStart && starts !== undefined ? { ...event, ...starts(params.runId) } : event;
    }
  }
  return { id: agent.id, ...(agent.resumable !== undefined && { resumable: agent.resumable }), invoke };
}
