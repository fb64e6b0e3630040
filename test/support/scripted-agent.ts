import type { Agent, InvokeParams } from '../../src/agents/contract/agent.ts';
import type { RelayAnswer } from '../../src/agents/contract/host.ts';
import type { AgentEvent, EventOf } from '../../src/events/index.ts';

type Without<Event> = Event extends unknown ? Omit<Event, 'type' | 'runId'> : never;

/** What a script has at hand to play a run. */
export interface Stage {
  readonly params: InvokeParams;
  /** An event of the run. */
  readonly event: <Type extends AgentEvent['type']>(type: Type, fields: Without<EventOf<Type>>) => AgentEvent;
  /** Waits for the answer to a relay that was emitted before. */
  readonly answer: (relayId: string) => Promise<RelayAnswer>;
  /** Waits for something outside, or for the run to be stopped. */
  readonly until: (promise: Promise<unknown>) => Promise<void>;
}

/** An agent that plays a script: what it yields is the run, between a start and an end. */
export function scriptedAgent(id: string, script: (stage: Stage) => AsyncIterable<AgentEvent>): Agent {
  return {
    id,
    async *invoke(params) {
      const { runId, parentId, signal } = params.run;
      const { answers } = params.host;
      const stopped = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true });
      });
      stopped.catch(() => {});
      const stage: Stage = {
        params,
        event: (type, fields) => ({ type, runId, ...fields }) as unknown as AgentEvent,
        answer: relayId => (answers ? answers.wait(relayId, signal) : stopped),
        until: async promise => void (await Promise.race([promise, stopped])),
      };
      yield { type: 'harness_start', runId, agentId: id, ...(parentId !== undefined && { parentId }) };
      try {
        yield* script(stage);
      } catch (error) {
        if (!signal.aborted) throw error;
      }
      yield { type: 'harness_end', runId, agentId: id, reason: signal.aborted ? 'aborted' : 'complete' };
    },
  };
}

/** Something that tests wait for or let go. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

export function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>(resolve => {
    open = resolve;
  });
  return { opened, open };
}
