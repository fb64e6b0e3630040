import type { AgentEvent, EventOf } from '../../../events/vocabulary.ts';
import type { Failure } from '../contract/translator.ts';
import { type ContextParts, describeContext } from '../../model/call/model-context.ts';
import { defined } from '../../../base/defined.ts';

type Body<Event> = Event extends AgentEvent ? Omit<Event, 'runId' | 'ts' | 'seq' | 'sessionId'> : never;

/** An event before it has its envelope; without a `runId` it belongs to the main run. */
export type EventBody = (Body<AgentEvent> | Omit<EventOf<'session'>, 'runId' | 'ts' | 'seq'>) & {
  readonly runId?: string;
};

const goesOn: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call']);

/** The details of a session that a program reports. */
interface SessionDetails {
  readonly cwd?: string | undefined;
  readonly model?: string | undefined;
  readonly title?: string | undefined;
  readonly commands?: EventOf<'session'>['commands'] | undefined;
}

/** A failure of the main run; it is fatal unless the run continues. */
interface ReportedFailure {
  readonly message: string;
  readonly code?: string | undefined;
  readonly reason?: Failure['reason'];
  /** Whether only another step continues the run: a failed step may still report text that it wrote before. */
  readonly endsStep?: boolean;
}

/** Collects the events of one line: adds their envelope, reports failures, counts steps. */
export class LineContext {
  readonly runId: string;
  finished = false;
  #failure: Failure | undefined;
  #isReported = false;
  #endsStep = false;
  #sessionId: string | undefined;
  #line: number | undefined;
  #events: AgentEvent[] = [];
  #steps = new Map<string, number>();
  /** The id of the last reported context of model calls; steps refer to it. */
  #contextId: string | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  /** The number of the current line. */
  get line(): number | undefined {
    return this.#line;
  }

  get failure(): Failure | undefined {
    return this.#failure;
  }

  begin(line: number | undefined): void {
    this.#line = line;
    this.#events = [];
  }

  end(): AgentEvent[] {
    return this.#events;
  }

  emit(body: EventBody): void {
    if ((body.runId ?? this.runId) === this.runId) {
      if (body.type === 'step_start') this.#endsStep = false;
      if (goesOn.has(body.type) && !this.#endsStep && !isMark(body)) this.#continue();
    }
    this.#push(body);
  }

  unknown(raw: unknown): void {
    this.emit({ type: 'unknown', raw });
  }

  /** Registers the program's session: later events carry it. The same session again has no effect. */
  session(sessionId: string, details: SessionDetails = {}): void {
    const known = this.#sessionId === sessionId;
    if (known && Object.keys(defined({ ...details, model: undefined })).length === 0) return;
    this.#sessionId = sessionId;
    this.emit({ type: 'session', sessionId, ...defined(details) });
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Registers what the program reports of its model calls: its next steps name it. The same again has no effect. */
  reports(context: Omit<ContextParts, 'reported' | 'instructions'>): void {
    const { id, toEvent } = describeContext(this.runId, { ...context, reported: true });
    if (id === this.#contextId) return;
    this.#contextId = id;
    this.emit(toEvent());
  }

  /** Starts a step of a run. */
  step(details: { runId?: string; callId?: string | undefined; model?: string | undefined } = {}): void {
    const runId = details.runId ?? this.runId;
    const step = this.#steps.get(runId) ?? 0;
    this.#steps.set(runId, step + 1);
    const contextId = runId === this.runId ? this.#contextId : undefined;
    this.emit({ type: 'step_start', ...defined({ ...details, contextId }), step });
  }

  /** Makes the next step of a run another attempt at the last one. */
  retryStep(runId = this.runId): void {
    this.#steps.set(runId, Math.max(0, (this.#steps.get(runId) ?? 0) - 1));
  }

  forgetSteps(runId: string): void {
    this.#steps.delete(runId);
  }

  /**
   * Reports a failure at once; it is repeated as fatal at the end of the stream unless the run continues. The same
   * failure again has no effect.
   */
  fail(failure: ReportedFailure): void {
    this.suspect(failure);
    this.#report();
  }

  /** Registers a failure that may be retried: it is reported by `confirm`, or when the run continues or ends. */
  suspect({ message, code, reason, endsStep = false }: ReportedFailure): void {
    const before = this.#failure;
    if (before !== undefined && before.message !== message) this.#continue();
    this.#failure = defined({ message, code: code ?? before?.code, reason });
    this.#endsStep = endsStep;
  }

  /** Reports a failure that is not retried. */
  confirm(): void {
    if (this.#failure !== undefined) this.#report();
  }

  /** Drops the pending failure because it is being retried. */
  forgive(): void {
    this.#failure = undefined;
    this.#isReported = false;
  }

  /** Emits a pending failure as fatal. */
  close(): void {
    if (this.#failure !== undefined) this.#error(this.#failure, true);
  }

  #continue(): void {
    this.confirm();
    this.forgive();
  }

  #report(): void {
    if (!this.#isReported) this.#error(this.#failure as Failure, false);
    this.#isReported = true;
  }

  #error({ message, code }: Failure, fatal: boolean): void {
    this.#push({ type: 'error', message, ...defined({ code }), ...(fatal && { fatal }) });
  }

  #push(body: EventBody): void {
    const { type, runId = this.runId, ...rest } = body;
    const event = { type, runId, ...rest } as AgentEvent;
    if (event.type === 'error' && event.message.trim() === '') event.message = 'The program reported an error.';
    if (this.#sessionId !== undefined) event.sessionId = this.#sessionId;
    const line = event.line ?? this.#line;
    if (line !== undefined) event.line = line;
    this.#events.push(event);
  }
}

/** Whether it only marks the end of text that was written before. */
function isMark(body: EventBody): boolean {
  return body.type === 'text' && body.content === '';
}
