import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { addUsage, noUsage, type UsageCounts } from '../events/usage-sum.ts';

/** A tool call as a run left it. */
export interface CallState {
  readonly call: EventOf<'tool_call'>;
  readonly started: boolean;
  readonly done: boolean;
  readonly relayId?: string;
}

/** A question a run asked, and its answer when there is one. */
export interface RelayState {
  readonly relay: EventOf<'relay'>;
  readonly answer?: EventOf<'relay_resolved'>;
}

/** The state of a run: a fold of its events. */
export interface RunState {
  readonly runId: string;
  readonly agentId: string | undefined;
  readonly parentId: string | undefined;
  readonly model: string | undefined;
  /** Absent while the run is open. */
  readonly endedBy?: EventOf<'harness_end'>;
  /** The number of the step it is in; -1 before the first. */
  readonly step: number;
  /** Whether the model call of that step ended, and `calls` has all of its calls. */
  readonly stepComplete: boolean;
  /** Whether a user message arrived since that step began. */
  readonly steered: boolean;
  /** The calls of that step that the run executes, in the order in which the model made them. */
  readonly calls: ReadonlyMap<string, CallState>;
  readonly relays: ReadonlyMap<string, RelayState>;
  readonly usage: UsageCounts;
  /** The run's own events, from which a transcript is made. */
  readonly events: readonly AgentEvent[];
  /** The runs it started, by the call or the code that started them; none unless their events were folded too. */
  readonly children: ReadonlyMap<string, readonly RunState[]>;
}

/** Folds the events of a run and of the runs that it and they started; other events are passed over. */
export function foldRunTree(events: Iterable<AgentEvent>, runId: string): RunState {
  const family = new RunFamily(runId);
  for (const event of events) family.take(event);
  return family.state();
}

/** Picks a run, and the runs that it and they started, out of a stream of events. */
export class RunFamily {
  readonly #runId: string;
  readonly #events: Map<string, AgentEvent[]>;
  /** The runs that a call or an execution started. */
  readonly #started = new Map<string, string[]>();

  constructor(runId: string) {
    this.#runId = runId;
    this.#events = new Map([[runId, []]]);
  }

  /** Takes the next event of the stream; returns whether it belongs to the family. */
  take(event: AgentEvent): boolean {
    // Requested is not begun.
    if (event.type === 'run_requested') return this.#events.has(event.runId);
    const { runId, parentId } = event;
    const children = parentId === undefined ? undefined : this.#started.get(parentId);
    if (children !== undefined && !this.#events.has(runId)) {
      this.#events.set(runId, []);
      children.push(runId);
    }
    const own = this.#events.get(runId);
    own?.push(event);
    if (own !== undefined && (event.type === 'tool_call' || event.type === 'repl_input'))
      this.#started.set(event.id, this.#started.get(event.id) ?? []);
    return own !== undefined;
  }

  state(runId = this.#runId): RunState {
    const events = this.#events.get(runId) ?? [];
    const children = new Map<string, readonly RunState[]>();
    for (const event of events) {
      if (event.type !== 'tool_call' && event.type !== 'repl_input') continue;
      const started = this.#started.get(event.id) ?? [];
      if (started.length > 0)
        children.set(
          event.id,
          started.map(id => this.state(id)),
        );
    }
    return { ...foldRun(events, runId), children };
  }
}

/** Folds the events of one run; events of other runs are passed over. */
export function foldRun(events: Iterable<AgentEvent>, runId: string): RunState {
  const own: AgentEvent[] = [];
  const calls = new Map<string, CallState>();
  const relays = new Map<string, RelayState>();
  let usage = noUsage;
  const state = { step: -1, stepComplete: false, steered: false };
  let start: EventOf<'harness_start'> | undefined;
  let end: EventOf<'harness_end'> | undefined;
  for (const event of events) {
    if (event.runId !== runId || event.type === 'run_requested') continue;
    own.push(event);
    if (event.type === 'harness_start') start = event;
    else if (event.type === 'harness_end') end = event;
    else if (event.type === 'step_start') {
      state.step = event.step;
      state.stepComplete = false;
      state.steered = false;
      calls.clear();
    } else if (event.type === 'user') state.steered = true;
    else if (event.type === 'tool_call') {
      if (event.executedBy === undefined) calls.set(event.id, { call: event, started: false, done: false });
    } else if (event.type === 'usage') {
      usage = addUsage(usage, event);
      state.stepComplete = true;
    } else if (event.type === 'tool_start') change(calls, event.id, { started: true });
    else if (event.type === 'tool_result') change(calls, event.id, { done: true });
    else if (event.type === 'relay') {
      relays.set(event.id, { relay: event });
      if (event.relayKind === 'permission') change(calls, event.toolCallId, { relayId: event.id });
    } else if (event.type === 'relay_resolved') {
      const asked = relays.get(event.relayId);
      if (asked && !asked.answer) relays.set(event.relayId, { ...asked, answer: event });
    }
  }
  return {
    runId,
    agentId: start?.agentId,
    parentId: start?.parentId,
    model: start?.model,
    ...(end && { endedBy: end }),
    ...state,
    calls,
    relays,
    usage,
    events: own,
    children: new Map(),
  };
}

function change(calls: Map<string, CallState>, id: string, change: Partial<CallState>): void {
  const call = calls.get(id);
  if (call !== undefined) calls.set(id, { ...call, ...change });
}
