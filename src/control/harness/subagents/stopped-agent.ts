import type { Agent } from '../../../agents/contract/agent.ts';
import { drivenAgent } from '../turns/driven-agent.ts';
import type { AgentEvent } from '../../../events/vocabulary.ts';
import { toolOutcome } from '../messages/tool-outcome.ts';

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

interface Called {
  readonly toolCallId: string;
  readonly toolName: string;
}

/** A step of a subagent, with the fields that stop conditions of the AI SDK read. */
interface SubagentStep {
  readonly text: string;
  readonly toolCalls: readonly (Called & { readonly input: unknown })[];
  readonly toolResults: readonly (Called & { readonly output: unknown })[];
  readonly usage: { readonly inputTokens: number | undefined; readonly outputTokens: number | undefined };
}

/** Ends a subagent when it returns true for its steps; AI SDK conditions such as `stepCountIs(5)` are valid. */
export type StopCondition = {
  // A method type, so that conditions that read more fields are assignable.
  holds(progress: { readonly steps: readonly SubagentStep[] }): boolean | PromiseLike<boolean>;
}['holds'];

/** Whether one of the conditions is true. */
async function isStopped(
  conditions: StopCondition | readonly StopCondition[],
  steps: readonly SubagentStep[],
): Promise<boolean> {
  for (const condition of [conditions].flat()) if (await condition({ steps })) return true;
  return false;
}

/** Collects the steps of a run from its events; a restarted step counts once. */
class SubagentSteps {
  readonly #runId: string;
  #steps: SubagentStep[] = [];

  constructor(runId: string) {
    this.#runId = runId;
  }

  get taken(): readonly SubagentStep[] {
    return this.#steps;
  }

  /** Takes the next event; ignores events of other runs. */
  take(event: AgentEvent): void {
    if (event.runId !== this.#runId) return;
    if (event.type === 'step_start') {
      const begun = { text: '', toolCalls: [], toolResults: [], usage: noUsage };
      this.#steps = [...this.#steps.slice(0, event.step), begun];
      return;
    }
    const step = this.#steps.at(-1);
    if (step !== undefined) this.#steps[this.#steps.length - 1] = { ...step, ...getChange(step, event) };
  }
}

const noUsage = { inputTokens: undefined, outputTokens: undefined };

function getChange({ text, toolCalls, toolResults }: SubagentStep, event: AgentEvent): Partial<SubagentStep> {
  if (event.type === 'text') return { text: text + event.content };
  if (event.type === 'usage') return { usage: { inputTokens: event.inputTokens, outputTokens: event.outputTokens } };
  if (event.type === 'tool_call')
    return { toolCalls: [...toolCalls, { toolCallId: event.id, toolName: event.name, input: event.input }] };
  if (event.type === 'tool_result') {
    const { result: output } = toolOutcome(event.output);
    return { toolResults: [...toolResults, { toolCallId: event.id, toolName: event.name, output }] };
  }
  return {};
}
