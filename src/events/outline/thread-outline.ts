import { applyEffect, type EffectHandlers, placeRun, type RunCause } from '../structure.ts';
import { addUsage, noUsage, type UsageCounts } from '../usage-sum.ts';
import { type AgentEvent, type EventOf, isKnownEvent } from '../vocabulary.ts';
import { EndedIds } from './ended-ids.ts';
import { type OutlineSnapshot, unknownRun } from './outline-snapshot.ts';
import { OutlinedBlock } from './outlined-block.ts';
import { type OutlinedCall, OutlinedCalls } from './outlined-calls.ts';
import type { OutlinedRun, RunRecord } from './outlined-run.ts';
import { OutlinedRuns } from './outlined-runs.ts';
import {
  firstSight,
  shortenCall,
  shortenFragment,
  shortenRelay,
  shortenResult,
  shortenStart,
  shortenUser,
} from './shorten-event.ts';

const unknownMessage = `${unknownRun}:user`;

/**
 * The outline of a thread: the earlier events that later events still depend on. Applies each event, in order, in
 * constant time, and stores only open items.
 */
export class ThreadOutline {
  #seq = 0;
  #usage: UsageCounts = noUsage;
  readonly #runs = new OutlinedRuns();
  readonly #users = new Map<string, AgentEvent>();
  readonly #calls = new OutlinedCalls();
  readonly #relays = new Map<string, AgentEvent>();
  readonly #folded = new Map<string, AgentEvent>();
  /** The stream that grew last; what clears the streams of a run ends it. */
  #newest: { readonly runId: string; readonly id: string; readonly type: string } | undefined;
  readonly #gone = new EndedIds();
  /** The id of the last message of the active branch; `unknownMessage` after another branch was selected. */
  #tip: string | undefined;
  #onMessage: (messageId: string, seq: number) => void = () => {};
  #isRestoring = false;

  /** Starts empty or from a snapshot; calls `onMessage` for each new message. */
  constructor(snapshot?: OutlineSnapshot, onMessage: (messageId: string, seq: number) => void = () => {}) {
    if (snapshot !== undefined) this.#restore(snapshot);
    this.#onMessage = onMessage;
  }

  /** The seq of the newest applied event. */
  get seq(): number {
    return this.#seq;
  }

  /** The open run of an id. */
  run(runId: string): OutlinedRun | undefined {
    return this.#runs.get(runId);
  }

  /** Applies the next event. */
  take(event: AgentEvent): void {
    this.#seq = event.seq ?? this.#seq + 1;
    if (isKnownEvent(event) && event.type !== 'text' && event.type !== 'reasoning') this.#newest = undefined;
    applyEffect(ThreadOutline.#on, event, this);
  }

  static readonly #on: EffectHandlers<ThreadOutline> = {
    output: (event, outline) => outline.#stream(event),
    message: (event, outline) => outline.#user(event),
    'run start': (event, outline) => outline.#start(event),
    'run end': (event, outline) => outline.#end(event),
    run: (event, outline) => void outline.#findRun(event),
    attempt: (event, outline) => outline.#step(event),
    'attempt end': (event, outline) => outline.#used(event),
    call: (event, outline) => outline.#call(event),
    execution: (event, outline) => outline.#call(event),
    'call report': (event, outline) => outline.#report(event),
    'call result': (event, outline) => outline.#report(event),
    'execution report': (event, outline) => outline.#report(event),
    'execution result': (event, outline) => outline.#report(event),
    question: (event, outline) => {
      outline.#findRun(event);
      if (outline.#runs.get(event.runId)?.end === undefined) outline.#relays.set(event.id, shortenRelay(event));
    },
    answer: ({ relayId }, outline) => {
      if (outline.#relays.delete(relayId)) outline.#gone.add(relayId);
    },
    branch: (_, outline) => {
      outline.#leaveBranch();
      outline.#tip = unknownMessage;
      outline.#prune();
    },
    fold: (event, outline) => {
      outline.#folded.delete(event.nodeId);
      if (outline.#isKept(event.nodeId)) outline.#folded.set(event.nodeId, event);
    },
    // A fact before the first message creates one.
    fact: (_, outline) => void (outline.#tip ??= unknownMessage),
    none: () => {},
  };

  /** Returns the state from which a reader can continue after the newest event. */
  snapshot(): OutlineSnapshot {
    const runs = [...this.#runs.all()];
    const calls = [...this.#calls.all()];
    const kept = [
      ...this.#users.values(),
      ...runs.flatMap(({ first, start, step, end }) => [first, start, step, end]),
      ...runs.map(({ steer }) => (steer?.after.isOpen === true ? steer.event : undefined)),
      ...runs.flatMap(({ block }) => [...block.streams.values()]),
      ...this.#relays.values(),
      ...this.#folded.values(),
      ...calls.flatMap(({ event, start, block }) => [event, start, ...(block?.answer ?? [])]),
    ].filter(event => event !== undefined);
    const events = [...new Set(kept)]
      .toSorted((a, b) => (a.seq ?? 0) - (b.seq ?? 0))
      .flatMap(event => [event, ...this.#completionAfter(event)]);
    if (this.#tip === unknownMessage) events.push({ type: 'user', runId: unknownRun, content: '' });
    const reporting = runs.filter(run => run.isReporting).map(({ runId }) => runId);
    const isUncertain = runs.some(run => run.isUncertain && run.end === undefined);
    const snapshot = { seq: this.#seq, usage: this.#usage, events, reporting, gone: this.#gone.list() };
    return { ...snapshot, ...(isUncertain && { isUncertain }) };
  }

  #restore({ seq, usage, events, reporting, gone, isUncertain = false }: OutlineSnapshot): void {
    this.#isRestoring = true;
    for (const event of events) this.take(event);
    this.#isRestoring = false;
    for (const runId of reporting) {
      const run = this.#runs.get(runId);
      if (run !== undefined) run.isReporting = true;
    }
    for (const run of this.#runs.all()) run.isUncertain = isUncertain;
    if (this.#users.delete(unknownMessage)) this.#tip = unknownMessage;
    this.#gone.reset(gone);
    this.#seq = seq;
    this.#usage = usage;
  }

  /** The end of the model call of a run, after the event that begins its newest block. */
  #completionAfter(event: AgentEvent): AgentEvent[] {
    const { runId } = event;
    const run = this.#runs.get(runId);
    const isNewest = run?.isComplete === true && event === (run.step ?? run.start ?? run.first);
    return isNewest ? [{ type: 'usage', runId, inputTokens: 0, outputTokens: 0 }] : [];
  }

  #user(event: EventOf<'user'>): void {
    const run = this.#runs.get(event.runId);
    if (run !== undefined) return this.#steer(this.#findOwner(run), event);
    if (this.#gone.has(event.runId)) return;
    const id = `${event.runId}:user`;
    this.#users.set(id, shortenUser(event));
    if (event.parentMessageId !== undefined && event.parentMessageId !== this.#tip) this.#leaveBranch();
    this.#moveTip(id);
  }

  #steer(run: RunRecord, event: EventOf<'user'>): void {
    if (run.block.isOpen) run.steer = { event: shortenUser(event), after: run.block };
    run.block = new OutlinedBlock();
  }

  #start(event: EventOf<'harness_start'>): void {
    const run = this.#findRun(event);
    if (run === undefined) return;
    const start = shortenStart(event);
    if (run.first.type === 'harness_start') run.first = start;
    else run.start = start;
    run.agentId = event.agentId;
    run.model = event.model ?? run.model;
  }

  #step(event: EventOf<'step_start'>): void {
    const run = this.#findRun(event);
    if (run === undefined) return;
    const { messages: _, ...step } = event;
    run.step = step;
    run.isComplete = false;
    run.model = event.model ?? run.model;
    const owner = this.#findOwner(run);
    owner.steer = undefined;
    owner.block = new OutlinedBlock();
  }

  #used(event: EventOf<'usage'>): void {
    this.#usage = addUsage(this.#usage, event);
    const run = this.#findRun(event);
    if (run !== undefined) run.isComplete = true;
  }

  #end(event: EventOf<'harness_end'>): void {
    const run = this.#findRun(event);
    if (run === undefined) return;
    const { runId } = run;
    const { type, agentId, reason, seq, ts } = event;
    run.end = { type, runId, agentId, ...(reason && { reason }), ...(seq && { seq }), ...(ts && { ts }) };
    run.block = new OutlinedBlock();
    for (const call of this.#calls.ofRun(runId)) this.#closeCall(call);
    for (const [id, relay] of this.#relays)
      if (relay.runId === runId) {
        this.#relays.delete(id);
        this.#gone.add(id);
      }
    if (this.#isRestoring || !this.#isLeaf(run)) return this.#prune();
    for (const call of this.#calls.ofRun(runId)) this.#calls.delete(call);
    this.#dropRun(run);
  }

  #stream(event: EventOf<'text'> | EventOf<'reasoning'> | EventOf<'tool_input_delta'>): void {
    const run = this.#findRun(event);
    if (run === undefined) return;
    const { streams } = this.#contentBlock(run);
    // Most fragments continue the one before.
    const { runId, id, type } = this.#newest ?? {};
    if (streams.size > 0 && runId === event.runId && id === event.id && type === event.type) return;
    const key = `${event.type} ${event.id}`;
    if (!streams.has(key)) streams.set(key, shortenFragment(event));
    this.#newest = { runId: event.runId, id: event.id, type: event.type };
  }

  /** Returns the tool of an open call, its run, and since when it ran: since it was made when it reports no start. */
  openCall(id: string, runId: string): { tool: string; runId: string; since: string | undefined } | undefined {
    const call = this.#calls.find(id, runId);
    if (call?.isOpen !== true || call.event.type !== 'tool_call') return undefined;
    return { tool: call.event.name, runId: call.runId, since: (call.start ?? call.event).ts };
  }

  #call(event: EventOf<'tool_call'> | EventOf<'repl_input'>): void {
    const run = this.#findRun(event);
    if (run === undefined) return;
    const { id, runId } = event;
    const replaced = this.#calls.own(id, runId);
    if (replaced !== undefined) this.#closeCall(replaced);
    this.#gone.delete(id);
    this.#folded.delete(id);
    const call = { id, runId, event: shortenCall(event), isOpen: true };
    if (event.type === 'repl_input') return this.#calls.add(call);
    const block = this.#contentBlock(run);
    block.streams.delete(`tool_input_delta ${id}`);
    if (event.executedBy !== undefined) return this.#calls.add(call);
    block.openCall();
    this.#calls.add({ ...call, block });
  }

  #report(event: EventOf<'tool_start' | 'tool_progress' | 'tool_result' | 'repl_progress' | 'repl_output'>): void {
    const call = this.#calls.find(event.type === 'tool_progress' ? event.toolCallId : event.id, event.runId);
    const run = call === undefined || event.type.startsWith('tool') ? this.#findRun(event) : undefined;
    if (event.type === 'tool_start') {
      if (run !== undefined) run.isReporting = true;
      if (call !== undefined) call.start = event;
    }
    if (event.type !== 'tool_result' && event.type !== 'repl_output') return;
    if (call === undefined) return;
    this.#closeCall(call);
    if (event.type === 'tool_result') call.block?.answerWith(call.event, shortenResult(event));
    this.#dropCall(call);
  }

  /** Drops a closed call unless a run that it started is still tracked; no other item depends on the call. */
  #dropCall(call: OutlinedCall): void {
    const { id } = call;
    if (this.#isRestoring || this.#tip === id) return;
    if (this.#runs.hasStarted(id)) return;
    this.#calls.delete(call);
    if (this.#folded.size > 0 && !this.#isKept(id)) this.#folded.delete(id);
  }

  /** Returns the run of an event; undefined when the run or its cause has ended. */
  #findRun(event: AgentEvent): RunRecord | undefined {
    const { runId, parentId, agentId } = event;
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    if (this.#gone.has(runId)) return undefined;
    const cause = parentId === undefined ? undefined : this.#causeOf(parentId);
    if (cause === 'gone') {
      this.#gone.add(runId);
      return undefined;
    }
    const place = placeRun(event, cause, () => this.#isRunning(this.#tip));
    const isVoice = place === 'inside cause' || place === 'inside newest';
    const isStart = event.type === 'harness_start';
    const first = isStart ? event : firstSight(event);
    const run: RunRecord = {
      runId,
      parentId: place === 'inside newest' ? this.#tip : parentId,
      isVoice,
      agentId,
      model: undefined,
      first,
      isComplete: false,
      isReporting: false,
      isUncertain: false,
      block: new OutlinedBlock(),
    };
    if (isStart && parentId !== undefined && place !== 'nested' && parentId !== this.#tip) this.#leaveBranch();
    this.#runs.add(run);
    if (isVoice) for (const voice of this.#runs.surplusVoices(run.parentId)) this.#dropRun(voice);
    else if (place === 'nested') this.#onMessage(runId, this.#seq);
    else this.#moveTip(runId);
    return run;
  }

  #causeOf(id: string): RunCause | 'gone' | undefined {
    if (this.#calls.find(id) !== undefined) return 'call';
    if (this.#users.has(id)) return 'user';
    if (this.#runs.named(id) !== undefined) return 'run';
    return this.#gone.has(id) ? 'gone' : undefined;
  }

  /** The run whose message has the blocks of a run. */
  #findOwner(run: RunRecord): RunRecord {
    return run.isVoice ? (this.#runs.get(run.parentId ?? '') ?? run) : run;
  }

  /** The block that the next output of a run's model belongs to. */
  #contentBlock(run: RunRecord): OutlinedBlock {
    const owner = this.#findOwner(run);
    if (owner.block.isAnswered) owner.block = new OutlinedBlock();
    return owner.block;
  }

  #isRunning(messageId: string | undefined): boolean {
    const run = this.#runs.get(messageId ?? '');
    return run !== undefined && run.end === undefined;
  }

  #isKept(id: string): boolean {
    return this.#runs.get(id) !== undefined || this.#users.has(id) || this.#calls.find(id) !== undefined;
  }

  #moveTip(messageId: string): void {
    this.#tip = messageId;
    this.#onMessage(messageId, this.#seq);
    this.#prune();
  }

  #leaveBranch(): void {
    for (const run of this.#runs.all()) run.isUncertain = true;
  }

  #closeCall(call: OutlinedCall): void {
    if (call.isOpen) call.block?.closeCall();
    call.isOpen = false;
    this.#gone.add(call.id);
  }

  /**
   * Whether an ended run can be dropped alone: an open call started it, and no tracked run was started by it. Avoids a
   * full scan for each of many concurrent subagents.
   */
  #isLeaf({ runId, parentId = '' }: RunRecord): boolean {
    const call = this.#runs.named(parentId) === undefined ? this.#calls.find(parentId) : undefined;
    const caller = call?.isOpen === true ? this.#runs.get(call.runId) : undefined;
    if (caller === undefined || caller.isVoice || caller.end !== undefined || this.#folded.size > 0) return false;
    if (this.#tip === runId || this.#runs.hasStartedIn(runId)) return false;
    for (const { id } of this.#calls.ofRun(runId)) if (this.#tip === id || this.#runs.hasStarted(id)) return false;
    return true;
  }

  #dropRun(run: RunRecord): void {
    this.#runs.delete(run);
    this.#gone.add(run.runId);
  }

  /** Drops all items that no open item refers to. */
  #prune(): void {
    if (this.#isRestoring) return;
    const kept = new Set<string>();
    const keep = (id: string | undefined): void => {
      if (id === undefined || kept.has(id)) return;
      kept.add(id);
      const run = this.#runs.named(id);
      if (run !== undefined) kept.add(run.runId);
      const call = run === undefined ? this.#calls.find(id) : undefined;
      keep(run?.parentId);
      keep(call?.runId);
    };
    keep(this.#tip);
    const isOpen = (run: RunRecord): boolean =>
      run.end === undefined && !(run.isVoice && !this.#isRunning(run.parentId));
    for (const run of this.#runs.all()) if (isOpen(run)) keep(run.runId);
    for (const relay of this.#relays.values()) keep(relay.runId);
    for (const id of this.#users.keys()) if (!kept.has(id)) this.#users.delete(id);
    for (const call of this.#calls.all()) if (!call.isOpen && !kept.has(call.id)) this.#calls.delete(call);
    for (const run of this.#runs.all()) if (!kept.has(run.runId)) this.#dropRun(run);
    for (const id of this.#folded.keys()) if (!this.#isKept(id)) this.#folded.delete(id);
  }
}
