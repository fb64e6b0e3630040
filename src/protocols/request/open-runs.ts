import type { AgentEvent, EventType } from '../../events/vocabulary.ts';
import { type OpenCall, OpenRun } from './open.ts';

/** What a run may begin with, when its `harness_start` is missing. */
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
 * Knows which runs belong to a request: its root, and every run that one of them caused. Only what is open is
 * remembered.
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

  /** The open run an event belongs to, made when it is the first of its run; undefined for what is not of the request. */
  runOf(event: AgentEvent, at: number | undefined): OpenRun | undefined {
    const known = this.#runs.get(event.runId);
    if (known !== undefined) return known;
    // An observer or a reflector serves a run, but is no part of its request: it may outlast it, and costs apart.
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

  /** Open runs, the youngest first, so that what was caused comes before its cause. */
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

  /** What an id names: an open call, a run, or something of a run, whose id begins with that of the run. */
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
