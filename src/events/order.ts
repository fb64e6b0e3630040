import { replacesAttempt } from './attempt.ts';
import { type AgentEvent, type EventOf, type Handlers, isKnownEvent } from './vocabulary.ts';

/** The code of a warning about a call that finished in a process which had lost its run. */
export const lateResult = 'late_result';

export interface OrderViolation {
  /** The zero-based index of the event in the checked list. */
  readonly index: number;
  readonly runId: string;
  readonly rule: OrderRule;
  readonly message: string;
}

/** The rules of legal order, by name. */
export const orderRules = {
  'start-first': 'harness_start comes once and before every other event of its run',
  'nothing-after-end': 'harness_end is the last event of its run',
  'call-before-outcome': 'tool_start, tool_progress and tool_result come after their tool_call',
  'input-before-call': 'tool_input_delta comes before its tool_call',
  'one-start': 'a tool call starts at most once, and not after its result',
  'one-result': 'a tool call has at most one result, and no progress after it',
  'relay-before-result': 'a permission relay comes after its tool_call and before its tool_result',
  'relay-before-answer': 'relay_resolved comes after its relay',
  'one-answer': 'a relay is resolved at most once',
  'repl-input-first': 'repl_progress and repl_output come after their repl_input',
  'one-repl-output': 'an execution has one output, and no progress after it',
  'seq-rises': 'seq rises by one from event to event',
} as const;

export type OrderRule = keyof typeof orderRules;

/** Requests of users, which are valid at any time, also before a run starts and after it ends. */
const anytime: ReadonlySet<string> = new Set<AgentEvent['type']>([
  'run_requested',
  'abort_requested',
  'message_queued',
  'message_changed',
  'message_withdrawn',
  'steer_requested',
]);

type Phase = 'open' | 'started' | 'done';
type Report = (rule: OrderRule, detail: string) => void;

/** Checks the order of a stream of events incrementally; calls and relays are matched by id across all runs. */
export class OrderChecker {
  readonly #runs = new Map<string, 'running' | 'ended'>();
  readonly #calls = new Map<string, Phase>();
  readonly #relays = new Map<string, Phase>();
  readonly #executions = new Map<string, Phase>();
  readonly #steps = new Map<string, { step: number; isComplete: boolean; calls: string[]; executed: string[] }>();
  #index = 0;
  #seq: number | undefined;

  /** Checks the next event and returns its violations. */
  check(event: AgentEvent): OrderViolation[] {
    const found: OrderViolation[] = [];
    const index = this.#index++;
    const report: Report = (rule, detail) =>
      found.push({ index, runId: event.runId, rule, message: `${orderRules[rule]}; ${detail}` });
    if (event.seq !== undefined) {
      if (this.#seq !== undefined && event.seq !== this.#seq + 1)
        report('seq-rises', `${event.seq} follows ${this.#seq}`);
      this.#seq = event.seq;
    }
    if (anytime.has(event.type)) return found;
    // A process that lost the run reports a call that finished there, whenever it continues.
    if (event.type === 'warning' && event.code === lateResult) return found;
    if (this.#runs.get(event.runId) === 'ended') report('nothing-after-end', `${event.type} came after it`);
    if (isKnownEvent(event)) (this.#on[event.type] as (event: AgentEvent, report: Report) => void)(event, report);
    if (!this.#runs.has(event.runId)) this.#runs.set(event.runId, 'running');
    return found;
  }

  readonly #on: Handlers<[Report], void> = {
    harness_start: (event, report) => {
      if (this.#runs.has(event.runId)) report('start-first', 'other events of the run came before');
    },
    harness_end: event => void this.#runs.set(event.runId, 'ended'),
    step_start: event => this.#beginStep(event),
    session: pass,
    user: pass,
    text: pass,
    reasoning: pass,
    tool_input_delta: (event, report) => {
      if (this.#calls.has(event.id)) report('input-before-call', `${event.id} was called already`);
    },
    tool_call: event => {
      this.#calls.set(event.id, this.#calls.get(event.id) ?? 'open');
      const step = this.#steps.get(event.runId);
      (event.executedBy === undefined ? step?.calls : step?.executed)?.push(event.id);
    },
    tool_start: (event, report) => {
      const phase = this.#calls.get(event.id);
      if (phase === undefined) report('call-before-outcome', `tool_start of ${event.id} has no call`);
      else if (phase !== 'open') report('one-start', `${event.id} is ${phase}`);
      if (phase !== 'done') this.#calls.set(event.id, 'started');
    },
    tool_progress: (event, report) => {
      const phase = this.#calls.get(event.toolCallId);
      if (phase === undefined) report('call-before-outcome', `tool_progress of ${event.toolCallId} has no call`);
      else if (phase === 'done') report('one-result', `tool_progress of ${event.toolCallId} came after its result`);
    },
    tool_result: (event, report) => {
      const phase = this.#calls.get(event.id);
      if (phase === undefined) report('call-before-outcome', `tool_result of ${event.id} has no call`);
      else if (phase === 'done') report('one-result', `${event.id} has a second result`);
      this.#calls.set(event.id, 'done');
    },
    repl_input: event => void this.#executions.set(event.id, this.#executions.get(event.id) ?? 'open'),
    repl_progress: (event, report) => this.#checkExecution(event.id, 'repl_progress', report),
    repl_output: (event, report) => {
      this.#checkExecution(event.id, 'repl_output', report);
      this.#executions.set(event.id, 'done');
    },
    relay: (event, report) => {
      if (!this.#relays.has(event.id)) this.#relays.set(event.id, 'open');
      if (event.relayKind !== 'permission') return;
      const phase = this.#calls.get(event.toolCallId);
      if (phase === undefined || phase === 'done')
        report('relay-before-result', `${event.toolCallId} ${phase === 'done' ? 'has its result' : 'was not called'}`);
    },
    relay_resolved: (event, report) => {
      const phase = this.#relays.get(event.relayId);
      if (phase === undefined) report('relay-before-answer', `${event.relayId} was not asked`);
      else if (phase === 'done') report('one-answer', `${event.relayId} was answered before`);
      this.#relays.set(event.relayId, 'done');
    },
    plan_status: pass,
    tasks: pass,
    summary: pass,
    usage: ({ runId }) => {
      const step = this.#steps.get(runId);
      if (step !== undefined) step.isComplete = true;
    },
    error: pass,
    warning: pass,
    file_registered: pass,
    unknown: pass,
    custom: pass,
    mode_changed: pass,
    model_changed: pass,
    folder_changed: pass,
    grant_revoked: pass,
    branch_selected: pass,
    collapsed: pass,
    abort_requested: pass,
    steer_requested: pass,
    model_context: pass,
    message_queued: pass,
    message_changed: pass,
    message_withdrawn: pass,
    run_requested: pass,
  };

  /**
   * Another attempt at the same step replaces an incomplete one: calls that never started, and those that the provider
   * executed, are dropped.
   */
  #beginStep({ runId, step }: EventOf<'step_start'>): void {
    const before = this.#steps.get(runId);
    if (before !== undefined && replacesAttempt(before, step)) {
      for (const id of before.calls) if (this.#calls.get(id) === 'open') this.#calls.delete(id);
      for (const id of before.executed) this.#calls.delete(id);
    }
    this.#steps.set(runId, { step, isComplete: false, calls: [], executed: [] });
  }

  #checkExecution(id: string, type: string, report: Report): void {
    const phase = this.#executions.get(id);
    if (phase === undefined) report('repl-input-first', `${type} of ${id} has no input`);
    else if (phase === 'done') report('one-repl-output', `${type} of ${id} came after its output`);
  }
}

/** Returns all order violations of these events; empty when the order is legal. */
export function checkOrder(events: Iterable<AgentEvent>): OrderViolation[] {
  const checker = new OrderChecker();
  const violations: OrderViolation[] = [];
  for (const event of events) violations.push(...checker.check(event));
  return violations;
}

function pass(): void {}
