import { noUsage, type UsageCounts } from '../../events/usage-sum.ts';
import type { AgentEvent, EventOf, EventType } from '../../events/vocabulary.ts';

/** A tool call, or an execution of code, that has no result yet. */
export interface OpenCall {
  readonly id: string;
  /** Its id on the wire: unlike `id` it is not used again when a step is repeated. */
  readonly key: string;
  readonly toolName: string;
  readonly input: unknown;
  readonly run: OpenRun;
  /** The number of its step within its run. */
  readonly step: number;
  readonly relays: Set<OpenRelay>;
  started: boolean;
  /** Whether a user denied it. */
  refused: boolean;
  /** Whether it ran a subagent. */
  spawned: boolean;
  /** The phase it reported last. */
  phase: number;
  /** Its start in milliseconds since 1970, and for how long its relays were pending. */
  since: number | undefined;
  waitedMs: number;
}

/** A pending relay. */
export interface OpenRelay {
  readonly id: string;
  readonly event: EventOf<'relay'>;
  readonly kind: 'tool' | 'plan' | 'question' | 'suspension' | 'access';
  /** The target of the decision: a call's key, a plan's id, or the relay itself. */
  readonly target: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly run: OpenRun;
  readonly call: OpenCall | undefined;
  readonly askedAt: number | undefined;
}

/** A run that has not ended: the root of the request, or a subagent. */
export class OpenRun {
  readonly runId: string;
  readonly agentName: string;
  /** The run that started it; absent for the root. */
  readonly parent: OpenRun | undefined;
  /** The call that started it, when there is one. */
  readonly cause: OpenCall | undefined;
  readonly startedAt: number | undefined;
  readonly calls = new Set<OpenCall>();
  readonly relays = new Set<OpenRelay>();
  /** Other run ids that its events use. */
  readonly voices: string[] = [];
  /** Calls whose input streams, by id. */
  readonly inputs = new Map<string, { readonly key: string; readonly toolName: string }>();
  /** Ids of calls that were replaced before they ran, and how often: the log may use them again. */
  readonly abandoned = new Map<string, number>();
  /** Whether its beginning was emitted. */
  announced = false;
  model: string | undefined;
  usage: UsageCounts = noUsage;
  modelReason: string | undefined;
  /** Its text since its last tool call; kept for subagents only. */
  words = '';
  error: { readonly message: string; readonly code?: string | undefined } | undefined;
  /** The number it gave its step, and how many steps were begun. */
  step: number | undefined;
  steps = 0;
  /** Whether the model call of the step ended. */
  isComplete = false;
  attempt = 1;
  /** Whether its model is asked or writes. */
  isWriting = true;
  /** Whether a tool result arrived since the model's latest output. */
  answered = false;
  /** When the current model call started, and the time of the model's latest event. */
  askedAt: number | undefined;
  heardAt: number | undefined;

  constructor(options: Pick<OpenRun, 'runId' | 'agentName' | 'parent' | 'cause' | 'startedAt' | 'model'>) {
    this.runId = options.runId;
    this.agentName = options.agentName;
    this.parent = options.parent;
    this.cause = options.cause;
    this.startedAt = options.startedAt;
    this.askedAt = options.startedAt;
    this.model = options.model;
  }

  /** The wire id of one of its calls. */
  getKey(id: string): string {
    const times = this.abandoned.get(id);
    return times === undefined ? id : `${id}~${times + 1}`;
  }

  /** Notes that a call was replaced before it ran. */
  abandon(id: string): void {
    this.abandoned.set(id, (this.abandoned.get(id) ?? 0) + 1);
  }
}

/** The event types that can start a run whose `harness_start` is missing. */
const beginnings: ReadonlySet<EventType> = new Set([
  'harness_start',
  'step_start',
  'text',
  'reasoning',
  'tool_input_delta',
  'tool_call',
  'repl_input',
  'relay',
]);

/** At most one of them is open at a time in a thread. */
const mostLeftOut = 4;

/**
 * The open runs of a request: its root, and every run that one of them caused. Ended runs are dropped.
 */
export class OpenRuns {
  readonly #rootId: string | undefined;
  readonly #runs = new Map<string, OpenRun>();
  readonly #calls = new Map<string, OpenCall>();
  /** The newest runs that are no part of any request. */
  readonly #leftOut = new Set<string>();
  root: OpenRun | undefined;

  /** The root is the first run that begins when it is not named. */
  constructor(rootId: string | undefined) {
    this.#rootId = rootId;
  }

  /** Returns the open run of an event, creating it for its first event; undefined for events of other requests. */
  findRun(event: AgentEvent, at: number | undefined): OpenRun | undefined {
    const known = this.#runs.get(event.runId);
    if (known !== undefined) return known;
    // An observer or a reflector is not part of the request: it may outlast it, and its cost is counted separately.
    if (event.type === 'harness_start' && event.memory !== undefined) return this.#leaveOut(event.runId);
    if (this.#leftOut.has(event.runId)) return undefined;
    if (this.root === undefined) {
      const begins = this.#rootId === undefined ? beginnings.has(event.type) : event.runId === this.#rootId;
      if (begins) this.root = this.#add(event, at, {});
      return this.root;
    }
    const parent = event.parentId === undefined ? undefined : this.#named(event.parentId);
    if (parent === undefined) return undefined;
    if (event.type === 'harness_start' || !parent.itself) return this.#add(event, at, parent);
    parent.run.voices.push(event.runId);
    this.#runs.set(event.runId, parent.run);
    return parent.run;
  }

  #leaveOut(runId: string): undefined {
    this.#leftOut.add(runId);
    if (this.#leftOut.size > mostLeftOut) this.#leftOut.delete(this.#leftOut.values().next().value ?? '');
  }

  callNamed(id: string): OpenCall | undefined {
    return this.#calls.get(id);
  }

  addCall(call: OpenCall): void {
    this.#calls.set(call.id, call);
    call.run.calls.add(call);
  }

  dropCall(call: OpenCall): void {
    this.#calls.delete(call.id);
    call.run.calls.delete(call);
  }

  drop(run: OpenRun): void {
    for (const id of [run.runId, ...run.voices]) this.#runs.delete(id);
  }

  /** Returns the open runs, newest first, so that a child run precedes its parent. */
  youngestFirst(): OpenRun[] {
    return [...new Set(this.#runs.values())].toReversed();
  }

  #add(event: AgentEvent, at: number | undefined, { run: parent, call: cause }: Partial<Cause>): OpenRun {
    const { runId, agentId: agentName = 'agent' } = event;
    const model = event.type === 'harness_start' ? event.model : undefined;
    const run = new OpenRun({ runId, agentName, parent, cause, startedAt: at, model });
    this.#runs.set(runId, run);
    if (cause !== undefined) cause.spawned = true;
    return run;
  }

  /** Returns the open call or run that an id names; an item of a run has an id that begins with the run's id. */
  #named(id: string): Cause | undefined {
    const call = this.#calls.get(id);
    if (call !== undefined) return { run: call.run, call, itself: false };
    for (let end = id.length; end > 0; end = id.lastIndexOf('/', end - 1)) {
      const run = this.#runs.get(id.slice(0, end));
      if (run !== undefined) return { run, itself: end === id.length };
    }
    return undefined;
  }
}

interface Cause {
  readonly run: OpenRun;
  readonly call?: OpenCall;
  /** Whether the run itself was named. */
  readonly itself: boolean;
}
