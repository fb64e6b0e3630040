import * as z from 'zod';
import { defined } from '../../base/defined.ts';
import { type OptionFields, optionsCheck } from '../../base/options/check-options.ts';
import { callback, name } from '../../base/options/option-fields.ts';
import { toToolOutput } from '../../events/tools.ts';
import { addUsage } from '../../events/usage-sum.ts';
import { type AgentEvent, type Handlers, isKnownEvent } from '../../events/vocabulary.ts';
import { relayBook } from '../../projections/relay-book.ts';
import { type EndReason, type Fact, fileData } from './fact.ts';
import { type OpenRelay, type OpenRun, OpenRuns } from './open.ts';
import { type RequestState, findStanding, type RequestStanding } from './standing.ts';
import { type PriceOf, TotalsSum } from './totals.ts';
import {
  ask,
  beginStep,
  closeCall,
  endAgent,
  endRequest,
  movePlan,
  openCall,
  reportProgress,
  resolve,
  speak,
  startCall,
  streamInput,
} from './transitions.ts';

export interface RequestOptions {
  /** The root run; the first run of the events when absent. */
  readonly runId?: string | undefined;
  /** Returns the cost of a usage report in US dollars; the cost in the report when absent. */
  readonly priceOf?: PriceOf | undefined;
}

/** The options of the fold of one request. */
export const foldFields = () =>
  ({ runId: name().optional(), priceOf: callback().optional() }) satisfies OptionFields<RequestOptions>;

/** The options that every encoder of one request has. */
export const requestFields = () => ({
  ...foldFields(),
  threadId: name().optional(),
  currency: z.strictObject({ code: name(), perDollar: z.number().positive() }).optional(),
});

const checkOptions = optionsCheck('new RequestFold')(foldFields);

/** Whether an event type shows that the model is still working (true) or has finished (false). */
const isWriting: { readonly [Type in AgentEvent['type']]?: boolean } = {
  step_start: true,
  text: true,
  reasoning: true,
  tool_input_delta: true,
  tool_call: false,
  repl_input: false,
  relay: false,
  usage: false,
};

/**
 * Folds the events of a thread into the facts of one request: the root run and everything it caused. Ignores events of
 * other runs, events that were already delivered, and events after the end of the root run. An event costs constant
 * work; memory is bounded by the number of open items.
 */
export class RequestFold {
  readonly #state: RequestState;
  #facts: Fact[] = [];
  #seq = 0;
  #over = false;

  constructor(options: RequestOptions = {}) {
    checkOptions(options);
    const { runId, priceOf } = options;
    this.#state = {
      runs: new OpenRuns(runId),
      book: relayBook.initial,
      relays: new Map(),
      plans: new Map(),
      totals: new TotalsSum(priceOf),
      at: undefined,
      emit: fact => void this.#facts.push(fact),
    };
  }

  /** Folds one event and returns the facts that it adds. */
  take(event: AgentEvent): Fact[] {
    if (this.#over || !isKnownEvent(event) || this.#seen(event)) return [];
    const state = this.#state;
    if (event.ts !== undefined) state.at = Date.parse(event.ts);
    // Decisions may be logged under any run, so the relay or the plan identifies the request.
    if (event.type === 'relay_resolved') resolve(state, event);
    const run = state.runs.findRun(event, state.at);
    if (run !== undefined) this.#updateRun(run, event);
    else if (event.type === 'plan_status' && state.plans.has(event.planId)) movePlan(state, event.planId, event.to);
    state.book = relayBook.step(state.book, event);
    return this.#takeFacts();
  }

  /** Whether the request works or only waits for people. */
  get standing(): RequestStanding {
    return findStanding(this.#state);
  }

  /** The pending relays, oldest first. */
  get relays(): readonly OpenRelay[] {
    return [...this.#state.relays.values()];
  }

  /** Returns the final facts when the stream ends: an open request ends as interrupted. */
  end(): Fact[] {
    if (!this.#over) this.#endRequest('interrupted');
    return this.#takeFacts();
  }

  #seen({ seq }: AgentEvent): boolean {
    if (seq === undefined) return false;
    if (seq <= this.#seq) return true;
    this.#seq = seq;
    return false;
  }

  #updateRun(run: OpenRun, event: AgentEvent): void {
    const { totals, at, emit } = this.#state;
    totals.pass(at);
    if (!run.announced) {
      run.announced = true;
      emit(run.parent === undefined ? { type: 'started', run } : { type: 'agent-started', agent: run });
    }
    run.isWriting = isWriting[event.type] ?? run.isWriting;
    (this.#on[event.type] as (event: AgentEvent, run: OpenRun) => void)(event, run);
  }

  #takeFacts(): Fact[] {
    const facts = this.#facts;
    if (facts.length > 0) this.#facts = [];
    return facts;
  }

  #endRequest(reason: EndReason): void {
    this.#over = true;
    endRequest(this.#state, reason);
  }

  readonly #on: Handlers<[OpenRun], void> = {
    harness_start: nothing,
    harness_end: ({ runId, reason = 'complete' }, run) => {
      if (runId !== run.runId) return;
      if (run.parent === undefined) this.#endRequest(reason);
      else endAgent(this.#state, run, reason);
    },
    step_start: (event, run) => beginStep(this.#state, run, event),
    text: (event, run) => speak(this.#state, run, event),
    reasoning: (event, run) => speak(this.#state, run, event),
    tool_input_delta: (event, run) => streamInput(this.#state, run, event),
    tool_call: ({ id, name, input }, run) => openCall(this.#state, run, { id, toolName: name, input }),
    tool_start: ({ id }) => startCall(this.#state, id),
    tool_progress: ({ toolCallId, content }) => reportProgress(this.#state, toolCallId, content),
    tool_result: ({ id, output }) => closeCall(this.#state, this.#state.runs.callNamed(id), toToolOutput(output)),
    repl_input: ({ id, code }, run) => {
      openCall(this.#state, run, { id, toolName: 'repl', input: { code } });
      startCall(this.#state, id);
    },
    repl_progress: ({ id, chunk, stream }) => reportProgress(this.#state, id, { label: chunk, milestone: { stream } }),
    repl_output: ({ id, stdout, error, done }) => {
      const output = error === undefined ? { context: stdout, result: { stdout, done } } : { error };
      closeCall(this.#state, this.#state.runs.callNamed(id), output);
    },
    relay: (event, run) => ask(this.#state, run, event),
    relay_resolved: nothing,
    plan_status: ({ planId, from, to }) => movePlan(this.#state, planId, to, from),
    usage: (event, run) => {
      run.usage = addUsage(run.usage, event);
      run.model = event.model ?? run.model;
      run.modelReason = event.finishReason;
      run.isComplete = true;
      const { totals, at } = this.#state;
      totals.use(event, run);
      totals.hear(run, at, false);
      totals.rest(run);
    },
    error: ({ message, code, fatal }, run) => {
      run.error = { message, code };
      if (fatal !== true) warn(this.#state, message, code);
      else if (run.parent === undefined) this.#endRequest('error');
    },
    tasks: ({ tasks }) => this.#state.emit({ type: 'tasks', tasks }),
    warning: ({ message, code }) => warn(this.#state, message, code),
    file_registered: event => this.#state.emit({ type: 'file', file: fileData(event) }),
    custom: ({ name, data }) => this.#state.emit({ type: 'custom', name, data }),
    user: ({ id, runId, automatic, content }, run) => {
      if (run.parent === undefined && automatic !== true)
        this.#state.emit({ type: 'user_message', id: id ?? `${runId}:user`, content });
    },
    session: ({ model }, run) => void (run.model = model ?? run.model),
    summary: nothing,
    unknown: nothing,
    mode_changed: nothing,
    model_changed: nothing,
    folder_changed: nothing,
    grant_revoked: nothing,
    branch_selected: nothing,
    collapsed: nothing,
    abort_requested: nothing,
    steer_requested: nothing,
    model_context: nothing,
    message_queued: nothing,
    message_changed: nothing,
    message_withdrawn: nothing,
    run_requested: nothing,
  };
}

function nothing(): void {}

function warn({ emit }: RequestState, message: string, code: string | undefined): void {
  emit({ type: 'warning', warning: { message, ...defined({ code }) } });
}
