import { textOfContent } from '../../events/content-text.ts';
import { type AgentEvent, type EventOf, isKnownEvent } from '../../events/vocabulary.ts';
import { toToolOutput } from '../../events/tools.ts';
import { isOperation, type Operation } from '../activity/activity.ts';
import { type ActivityState, createActivityState, projectActivity } from '../activity/project-activity.ts';
import { toGist, type StepStatus, describeSubject, type TimelineStep } from './timeline-step.ts';

/** The state of a run while the timeline grows. */
interface TimedRun {
  readonly row: number;
  readonly depth: number;
  model: string | undefined;
  /** The row of its model while that is at work. */
  modelRow: number | undefined;
  /** Since when its model may have been at work. */
  since: number;
  openCalls: number;
}

/**
 * The steps of the runs of a thread with their times, in the order in which they began. It advances with each event in
 * constant time; the same events always give the same steps.
 */
export class Timeline {
  readonly #steps: TimelineStep[] = [];
  readonly #runs = new Map<string, TimedRun>();
  readonly #calls = new Map<string, { readonly row: number; readonly runId: string }>();
  readonly #relays = new Map<string, number>();
  readonly #activity: ActivityState = createActivityState();

  /** The steps so far; a running step is replaced by a new object when it changes. */
  get steps(): readonly TimelineStep[] {
    return this.#steps;
  }

  /** Adds one more event of the thread. */
  take(event: AgentEvent): void {
    if (!isKnownEvent(event)) return;
    const operations = projectActivity(this.#activity, event).filter(isOperation);
    const now = Date.parse(event.ts ?? '') || (this.#steps.at(-1)?.start ?? 0);
    if (event.type === 'harness_start') this.#start(event, now);
    else if (event.type === 'harness_end') this.#end(event, now);
    else if (event.type === 'step_start') this.#ask(event, now);
    else if (event.type === 'text' || event.type === 'reasoning') this.#hear(event, now, event.content);
    else if (event.type === 'tool_input_delta') this.#hear(event, now);
    else if (event.type === 'usage') this.#account(event, now);
    else if (event.type === 'tool_call') this.#call(event, now, { label: event.name, detail: inputGist(event.input) });
    else if (event.type === 'repl_input') this.#call(event, now, { label: 'code', detail: toGist(event.code) });
    else if (event.type === 'tool_start') this.#begin(event.id, now);
    else if (event.type === 'tool_result') this.#result(event, now, operations);
    else if (event.type === 'repl_output') this.#close(event, now, event.error === undefined ? 'done' : 'failed');
    else this.#note(event, now);
  }

  #note(event: AgentEvent, now: number): void {
    if (event.type === 'user') this.#point(event, now, 'person', 'message', textOfContent(event.content));
    else if (event.type === 'relay') this.#relay(event, now);
    else if (event.type === 'relay_resolved') this.#answer(event, now);
    else if (event.type === 'error') this.#point(event, now, 'note', 'error', event.message, 'failed');
    else if (event.type === 'warning') this.#point(event, now, 'note', 'warning', event.message);
    else if (event.type === 'summary') this.#point(event, now, 'note', 'summary', event.text);
    else if (event.type === 'file_registered') this.#point(event, now, 'note', 'file', event.path);
  }

  #start(event: EventOf<'harness_start'>, now: number): void {
    const parent = event.parentId === undefined ? undefined : this.#findParent(event.parentId);
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const { agentId: label, model, recorded } = event;
    const status = recorded === true ? 'stopped' : 'running';
    const row = this.#add(event, now, { depth, kind: 'run', label, detail: model ?? '', status });
    this.#runs.set(event.runId, { row, depth, model, modelRow: undefined, since: now, openCalls: 0 });
  }

  #findParent(parentId: string): TimedRun | undefined {
    return this.#runs.get(this.#calls.get(parentId)?.runId ?? parentId);
  }

  #end({ runId, seq, reason = 'complete' }: EventOf<'harness_end'>, now: number): void {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    this.#stopModel(run);
    const status = reason === 'complete' ? 'done' : reason === 'error' ? 'failed' : 'stopped';
    this.#change(run.row, { end: now, status, ...seqAt(seq) });
    if (run.openCalls > 0)
      for (const { row, runId: of } of this.#calls.values())
        if (of === runId && this.#steps[row]?.end === undefined) this.#change(row, { end: now, status: 'stopped' });
  }

  #ask(event: EventOf<'step_start'>, now: number): void {
    const run = this.#getRun(event, now);
    this.#stopModel(run);
    run.model = event.model ?? run.model;
    run.since = now;
    this.#hear(event, now);
  }

  /** The model of a run is at work: since it was asked, or since the results it waited for. */
  #hear(event: AgentEvent, now: number, words = ''): void {
    const run = this.#getRun(event, now);
    if (run.modelRow === undefined) {
      const { depth, model = 'model' } = run;
      run.modelRow = this.#add(event, run.since, { depth, kind: 'model', label: model, detail: '', status: 'running' });
    }
    const before = this.#steps[run.modelRow];
    const detail =
      words === '' || before === undefined || before.detail.length >= 80 ? undefined : before.detail + words;
    this.#change(run.modelRow, {
      end: now,
      ...seqAt(event.seq),
      ...(detail !== undefined && { detail: toGist(detail) }),
    });
  }

  #account(event: EventOf<'usage'>, now: number): void {
    const run = this.#getRun(event, now);
    if (event.model !== undefined && run.modelRow !== undefined) this.#change(run.modelRow, { label: event.model });
    this.#stopModel(run);
    run.since = now;
  }

  #stopModel(run: TimedRun): void {
    if (run.modelRow !== undefined) this.#change(run.modelRow, { status: 'done' });
    run.modelRow = undefined;
  }

  #call(event: EventOf<'tool_call' | 'repl_input'>, now: number, what: Pick<TimelineStep, 'label' | 'detail'>): void {
    if (this.#calls.has(event.id)) return;
    this.#hear(event, now);
    const run = this.#getRun(event, now);
    const row = this.#add(event, now, { depth: run.depth, kind: 'tool', ...what, status: 'running' });
    this.#calls.set(event.id, { row, runId: event.runId });
    run.openCalls++;
  }

  #begin(id: string, now: number): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    this.#change(call.row, { start: now });
    const run = this.#runs.get(call.runId);
    if (run !== undefined) this.#stopModel(run);
  }

  #result(event: EventOf<'tool_result'>, now: number, operations: readonly Operation[]): void {
    const output = toToolOutput(event.output);
    const failed = 'error' in output || operations.some(({ isSuccess }) => isSuccess === false);
    this.#close(event, now, 'status' in output ? 'denied' : failed ? 'failed' : 'done', operations);
  }

  #close(
    { id, seq }: EventOf<'tool_result' | 'repl_output'>,
    now: number,
    status: StepStatus,
    operations: readonly Operation[] = [],
  ): void {
    const call = this.#calls.get(id);
    const step = call && this.#steps[call.row];
    if (call === undefined || step === undefined || step.end !== undefined) return;
    const [operation] = operations;
    const detail =
      operation?.type === 'write' ? describeSubject(operations) : step.detail || describeSubject(operations);
    this.#change(call.row, {
      end: now,
      status,
      detail,
      ...seqAt(seq),
      ...(operation && { operation: operation.type }),
    });
    const run = this.#runs.get(call.runId);
    if (run === undefined) return;
    run.openCalls--;
    this.#stopModel(run);
    run.since = now;
  }

  #relay(event: EventOf<'relay'>, now: number): void {
    const { depth } = this.#getRun(event, now);
    const detail = toGist(relaySubject(event));
    const row = this.#add(event, now, { depth, kind: 'person', label: event.relayKind, detail, status: 'running' });
    this.#relays.set(event.id, row);
  }

  #answer({ relayId, outcome, seq }: EventOf<'relay_resolved'>, now: number): void {
    const row = this.#relays.get(relayId);
    if (row === undefined || this.#steps[row]?.end !== undefined) return;
    const status =
      outcome === 'reject' ? 'denied' : outcome === 'expired' || outcome === 'cancelled' ? 'stopped' : 'done';
    this.#change(row, { end: now, status, ...seqAt(seq) });
  }

  #point(
    event: AgentEvent,
    now: number,
    kind: TimelineStep['kind'],
    label: string,
    text: string,
    status: StepStatus = 'done',
  ): void {
    const depth = this.#runs.get(event.runId)?.depth ?? 0;
    this.#add(event, now, { depth, kind, label, detail: toGist(text), status, end: now });
  }

  #getRun({ runId, seq = 0 }: AgentEvent, now: number): TimedRun {
    const known = this.#runs.get(runId);
    if (known !== undefined) return known;
    this.#start({ type: 'harness_start', runId, agentId: 'agent', seq }, now);
    return this.#runs.get(runId) as TimedRun;
  }

  #add({ seq = 0, runId }: AgentEvent, start: number, step: Omit<TimelineStep, 'seq' | 'runId' | 'start'>): number {
    return this.#steps.push({ seq, runId, start, ...step }) - 1;
  }

  #change(row: number, change: Partial<TimelineStep>): void {
    const step = this.#steps[row];
    if (step !== undefined) this.#steps[row] = { ...step, ...change };
  }
}

function seqAt(seq: number | undefined): { endSeq?: number } {
  return seq === undefined ? {} : { endSeq: seq };
}

function relaySubject(relay: EventOf<'relay'>): string {
  if (relay.relayKind === 'permission') return relay.command ?? `${relay.tool} ${inputGist(relay.params)}`;
  if (relay.relayKind === 'question') return relay.question;
  return 'title' in relay && typeof relay.title === 'string' ? relay.title : ((relay as { tool?: string }).tool ?? '');
}

/** The first text in the input of a call. */
function inputGist(input: unknown): string {
  if (typeof input === 'string') return toGist(input);
  if (typeof input !== 'object' || input === null) return '';
  const text = Object.values(input).find(value => typeof value === 'string' && value !== '');
  return typeof text === 'string' ? toGist(text) : '';
}
