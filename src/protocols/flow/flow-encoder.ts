import type { AgentEvent } from '../../events/vocabulary.ts';
import { optionsCheck } from '../../base/options/check-options.ts';
import { name } from '../../base/options/option-fields.ts';
import type { Encoder } from '../encoder.ts';
import { costSummary, type Currency } from '../request/totals.ts';
import type { RelayDecision } from '../request/decision.ts';
import { type Fact, type FactHandlers, type FactOf, toFinishReason, handleFact } from '../request/fact.ts';
import type { OpenRun } from '../request/open.ts';
import { getPrompt, getResult } from '../request/shown-call.ts';
import { requestFields, RequestFold, type RequestOptions } from '../request/request-fold.ts';
import type { ApprovalOutcome, FlowEvent } from './flow-event.ts';
import { defined } from '../../base/defined.ts';

export interface FlowOptions extends RequestOptions {
  readonly threadId?: string | undefined;
  readonly resourceId?: string | undefined;
  /** The currency of the cost summary; US dollars when absent. */
  readonly currency?: Currency | undefined;
}

const checkOptions = optionsCheck<FlowOptions>('flowEncoder')(() => ({
  ...requestFields(),
  resourceId: name().optional(),
}));

/** Encodes one request, the root run and everything it caused, as the `flow` wire events. */
export function flowEncoder(options: FlowOptions = {}): Encoder<FlowEvent> {
  checkOptions(options);
  const { runId, priceOf } = options;
  const fold = new RequestFold({ runId, priceOf });
  const on = flowTable(options);
  const encodeAll = (facts: readonly Fact[]) => facts.flatMap(fact => handleFact(on, fact));
  return { encode: (event: AgentEvent) => encodeAll(fold.take(event)), end: () => encodeAll(fold.end()) };
}

function flowTable({ threadId, resourceId, currency }: FlowOptions): FactHandlers<FlowEvent[]> {
  const place = { ...defined({ resourceId, threadId }) };
  return {
    started: nothing,
    step: ({ attempt }) => [{ type: 'step-start', ...(attempt > 1 && { attempt }) }],
    text: ({ text }) => [{ type: 'text', text }],
    reasoning: ({ text }) => [{ type: 'reasoning', text }],
    input: nothing,
    call: ({ call }) => [{ ...invocation(call), state: 'call' }],
    progress: ({ call, progress }) => [
      { type: 'tool-progress', toolName: call.toolName, toolCallId: call.key, ...ofAgent(call.run), ...progress },
    ],
    result: ({ call, output }) => [
      { ...invocation(call), state: 'result', result: 'context' in output ? getResult(output) : output },
    ],
    asked: ({ relay: { id, kind, target, payload } }) => [
      { type: 'approval-required', data: { id, kind, target, payload, ...place } },
    ],
    decided: ({ relay, decision }) => [{ type: 'approval-decision', data: decided(relay.id, decision) }],
    'agent-started': ({ agent }) => [{ ...agentCall(agent), state: 'call' }],
    'agent-ended': ({ agent, outcome, usage }) => {
      const { runId: toolAgentId, agentName, model } = agent;
      const named = { toolAgentId, agentName, ...defined({ model }) };
      return [
        { ...agentCall(agent), state: 'result', result: 'text' in outcome ? outcome.text : outcome },
        { type: 'data-tool-agent', data: { ...named, usage } },
      ];
    },
    plan: ({ change }) => [{ type: 'plan-status-change', data: change }],
    file: ({ file }) => [{ type: 'data-file-registered', data: file }],
    custom: ({ name, data }) => [customEvent(name, data)],
    tasks: nothing,
    warning: nothing,
    user_message: nothing,
    ended: ({ outcome, totals }) => {
      if (outcome.reason === 'error')
        return [{ type: 'error', error: { message: outcome.message, code: outcome.code } }];
      return [
        { type: 'finish', finishReason: toFinishReason(outcome), usage: totals.usage },
        { type: 'data-cost-summary', data: costSummary(totals, currency) },
        { type: 'data-latency-summary', data: totals.latency },
      ];
    },
  };
}

function nothing(): FlowEvent[] {
  return [];
}

function invocation({ key, toolName, input, run }: FactOf<'call'>['call']) {
  return { type: 'tool-invocation', toolInvocationId: key, toolName, args: input, ...ofAgent(run) } as const;
}

function ofAgent({ parent, runId }: OpenRun): { toolAgentId?: string } {
  return parent === undefined ? {} : { toolAgentId: runId };
}

function agentCall({ runId, agentName, cause }: OpenRun) {
  const prompt = getPrompt(cause);
  return {
    type: 'tool-agent',
    toolAgentId: runId,
    agentName,
    ...(cause !== undefined && { toolInvocationId: cause.key }),
    ...defined({ prompt }),
  } as const;
}

function decided(id: string, { outcome, partial, feedback, answer }: RelayDecision) {
  const shown: ApprovalOutcome = outcome === 'revise' ? { outcome, partial } : { outcome };
  return { id, outcome: shown, ...defined({ feedback, answer }) };
}

/** A custom event named `flow-ui` carries a user interface as `{ dsl }`. */
function customEvent(name: string, data: unknown): FlowEvent {
  if (name === 'flow-ui' && typeof data === 'object' && data !== null && 'dsl' in data)
    return { type: 'data-flow-ui', data: { dsl: data.dsl } };
  return { type: 'custom', event_type: name, data };
}
