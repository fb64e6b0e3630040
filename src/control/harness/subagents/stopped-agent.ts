import type { Agent } from '../../../agents/contract/agent.ts';
import { isStopped, type StopCondition, SubagentSteps } from '../tools/subagent-steps.ts';
import { drivenAgent } from '../turns/driven-agent.ts';

/** Wraps an agent: each of its runs ends between two steps when one of the conditions is true. */
export function stoppedAgent(agent: Agent, stopWhen: StopCondition | readonly StopCondition[]): Agent {
  return {
    ...agent,
    invoke: params => {
      const steps = new SubagentSteps(params.run.runId);
      for (const event of params.run.resume?.events ?? []) steps.take(event);
      const driven = drivenAgent(agent, {
        prepare: async () => ({}),
        endsBefore: step => step > 0 && isStopped(stopWhen, steps.taken),
        onEvent: event => steps.take(event),
      });
      return driven.invoke(params);
    },
  };
}
