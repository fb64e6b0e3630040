import type { FlowEvent } from './flow-event.ts';

/** The ordering guarantees of a flow stream, by name. */
export const flowOrderRules = {
  'step-first': 'step-start comes before the text and the reasoning of its step',
  'call-first': 'progress and result of a tool come after its call and before any second result',
  'phase-rises': 'phaseIndex never falls within a call and is at most totalPhases',
  'call-has-result': 'every tool call has its result before the stream ends',
  'agent-call-first': 'the result of an agent comes once and after its call',
  'agent-has-result': 'every agent has its result before the stream ends',
  'gate-after-call': 'approval-required of a tool comes between its call and its result',
  'decision-after-request': 'approval-decision comes once and after its approval-required',
  'decision-before-result':
    'what is asked about a tool is decided before its result, and in any case before the stream ends',
  'one-end': 'a stream ends once, with finish or error',
  'finish-terminal': 'only one cost summary and one latency summary follow finish',
  'error-last': 'nothing follows error',
  'total-tokens': 'totalTokens is promptTokens + completionTokens',
} as const;

export type FlowOrderRule = keyof typeof flowOrderRules;

export interface FlowOrderViolation {
  /** The zero-based index of the event; the number of events for a violation at the end. */
  readonly index: number;
  readonly rule: FlowOrderRule;
  readonly message: string;
}

type Report = (rule: FlowOrderRule, detail: string) => void;
type Of<Type extends FlowEvent['type']> = Extract<FlowEvent, { type: Type }>;
type Check<Type extends FlowEvent['type']> = (event: Of<Type>, report: Report) => void;

const summaries: ReadonlySet<string> = new Set(['data-cost-summary', 'data-latency-summary']);

/** Checks a flow stream as it passes. Types it does not know pass, as long as the stream has not ended. */
export class FlowOrderChecker {
  /** Open calls to the phase they reported last. */
  readonly #calls = new Map<string, number>();
  readonly #agents = new Set<string>();
  /** Open approvals to the call they gate, if any. */
  readonly #approvals = new Map<string, string | undefined>();
  readonly #summaries = new Set<string>();
  #stepped = false;
  #ended: 'finish' | 'error' | undefined;
  #index = 0;

  /** Checks the next event and returns the violations of its position. */
  check(event: FlowEvent): FlowOrderViolation[] {
    const [found, report] = this.#reporter(this.#index++);
    if (this.#ended !== undefined) this.#checkAfterEnd(event, report);
    else if (Object.hasOwn(this.#on, event.type))
      (this.#on[event.type] as (event: FlowEvent, report: Report) => void)(event, report);
    return found;
  }

  /** Returns the violations that are known only at the end of the stream. */
  end(): FlowOrderViolation[] {
    const [found, report] = this.#reporter(this.#index);
    if (this.#ended === undefined) report('one-end', 'there was neither');
    return found;
  }

  readonly #on: { readonly [Type in FlowEvent['type']]: Check<Type> } = {
    'step-start': () => void (this.#stepped = true),
    text: (event, report) => this.#checkStep(event, report),
    reasoning: (event, report) => this.#checkStep(event, report),
    'tool-invocation': (event, report) => {
      const { toolInvocationId: id, state } = event;
      const open = this.#calls.has(id);
      if (state === 'call') {
        if (open) report('call-first', `${id} was called again before its result`);
        else this.#calls.set(id, 0);
        return;
      }
      if (!open) report('call-first', `the result of ${id} has no open call`);
      for (const [approval, call] of this.#approvals)
        if (call === id) report('decision-before-result', `${approval} about ${id} is not decided`);
      this.#calls.delete(id);
    },
    'tool-progress': ({ toolCallId: id, phaseIndex, totalPhases }, report) => {
      if (id === undefined) return;
      const before = this.#calls.get(id);
      if (before === undefined) report('call-first', `the progress of ${id} has no open call`);
      else this.#calls.set(id, phaseIndex);
      if (phaseIndex < (before ?? 0) || phaseIndex > totalPhases)
        report('phase-rises', `${id} is in phase ${phaseIndex} of ${totalPhases} after ${before ?? 0}`);
    },
    'tool-agent': ({ toolAgentId: id, state }, report) => {
      if (state === 'call' && !this.#agents.has(id)) this.#agents.add(id);
      else if (state === 'call') report('agent-call-first', `${id} was called again before its result`);
      else if (!this.#agents.delete(id)) report('agent-call-first', `the result of ${id} has no open call`);
    },
    'approval-required': ({ data: { id, kind, target } }, report) => {
      if (kind === 'tool' && !this.#calls.has(target)) report('gate-after-call', `${target} has no open call`);
      if (this.#approvals.has(id)) report('decision-after-request', `${id} is asked again before its decision`);
      this.#approvals.set(id, kind === 'tool' ? target : undefined);
    },
    'approval-decision': ({ data: { id } }, report) => {
      if (!this.#approvals.delete(id)) report('decision-after-request', `${id} is not asked`);
    },
    'data-tool-agent': ({ data: { usage } }, report) => checkTokens(usage, report),
    finish: ({ usage }, report) => {
      checkTokens(usage, report);
      this.#end('finish', report);
    },
    error: (_, report) => this.#end('error', report),
    'data-cost-summary': ({ type }, report) => report('finish-terminal', `${type} came before finish`),
    'data-latency-summary': ({ type }, report) => report('finish-terminal', `${type} came before finish`),
    'plan-status-change': pass,
    'data-file-registered': pass,
    custom: pass,
    'data-flow-ui': pass,
  };

  #checkStep({ type }: Of<'text' | 'reasoning'>, report: Report): void {
    if (!this.#stepped) report('step-first', `${type} came before any step`);
  }

  #checkAfterEnd({ type }: FlowEvent, report: Report): void {
    if (this.#ended === 'error') report('error-last', `${type} came after it`);
    else if (type === 'finish' || type === 'error') report('one-end', `${type} came after finish`);
    else if (!summaries.has(type) || this.#summaries.has(type)) report('finish-terminal', `${type} came after it`);
    this.#summaries.add(type);
  }

  #end(type: 'finish' | 'error', report: Report): void {
    this.#ended = type;
    for (const id of this.#calls.keys()) report('call-has-result', `${id} has none`);
    for (const id of this.#agents) report('agent-has-result', `${id} has none`);
    for (const id of this.#approvals.keys()) report('decision-before-result', `${id} is not decided`);
  }

  #reporter(index: number): [FlowOrderViolation[], Report] {
    const found: FlowOrderViolation[] = [];
    return [found, (rule, detail) => found.push({ index, rule, message: `${flowOrderRules[rule]}; ${detail}` })];
  }
}

/** Returns all order violations of a whole flow stream; empty when it is valid. */
export function checkFlowOrder(events: Iterable<FlowEvent>): FlowOrderViolation[] {
  const checker = new FlowOrderChecker();
  const violations: FlowOrderViolation[] = [];
  for (const event of events) violations.push(...checker.check(event));
  return [...violations, ...checker.end()];
}

function checkTokens({ promptTokens, completionTokens, totalTokens }: Of<'finish'>['usage'], report: Report): void {
  if (totalTokens !== promptTokens + completionTokens)
    report('total-tokens', `${totalTokens} is not ${promptTokens} + ${completionTokens}`);
}

function pass(): void {}
