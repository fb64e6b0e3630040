import type { AgentEvent } from '../../../events/index.ts';
import type { Failure } from '../contract/translator.ts';
import { present } from './wire-value.ts';

type Body<Event> = Event extends AgentEvent ? Omit<Event, 'runId' | 'line' | 'ts' | 'seq' | 'sessionId'> : never;

/** An event before it has its envelope; without a `runId` it belongs to the main run. */
export type EventBody = (Body<AgentEvent> | { type: 'session'; sessionId: string; cwd?: string; model?: string }) & {
  readonly runId?: string;
};

const goesOn: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call']);

/** Collects the events of one line: stamps their envelope, holds a failure until it is clear what it was, counts steps. */
export class LineContext {
  readonly runId: string;
  finished = false;
  #failure: Failure | undefined;
  #sessionId: string | undefined;
  #line: number | undefined;
  #events: AgentEvent[] = [];
  #steps = new Map<string, number>();

  constructor(runId: string) {
    this.runId = runId;
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
    if (this.#failure !== undefined && goesOn.has(body.type) && (body.runId ?? this.runId) === this.runId)
      this.#release(false);
    this.#push(body);
  }

  unknown(raw: unknown): void {
    this.emit({ type: 'unknown', raw });
  }

  /** The program told its session: events from here on carry it. A second telling of the same adds nothing. */
  session(sessionId: string, details: { cwd?: string | undefined; model?: string | undefined } = {}): void {
    const known = this.#sessionId === sessionId;
    if (known && details.cwd === undefined) return;
    this.#sessionId = sessionId;
    this.emit({ type: 'session', sessionId, ...present(details) });
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** A step of a run begins. */
  step(details: { runId?: string; callId?: string | undefined; model?: string | undefined } = {}): void {
    const runId = details.runId ?? this.runId;
    const step = this.#steps.get(runId) ?? 0;
    this.#steps.set(runId, step + 1);
    this.emit({ type: 'step_start', ...present(details), step });
  }

  /** The next step of the main run is another attempt at the last one. */
  retryStep(): void {
    this.#steps.set(this.runId, Math.max(0, (this.#steps.get(this.runId) ?? 0) - 1));
  }

  forgetSteps(runId: string): void {
    this.#steps.delete(runId);
  }

  /** The run failed, unless it goes on: then it was an error on the way. Telling the same failure again changes nothing. */
  fail({ message, code, reason }: { message: string; code?: string | undefined; reason?: Failure['reason'] }): void {
    const before = this.#failure;
    if (before !== undefined && before.message !== message) this.#release(false);
    this.#failure = present({ message, code: code ?? this.#failure?.code, reason });
  }

  /** The failure that was told is being retried. */
  forgive(): void {
    this.#failure = undefined;
  }

  /** Emits a failure that nothing followed. */
  close(): void {
    if (this.#failure !== undefined) this.#release(true);
  }

  #release(fatal: boolean): void {
    const { message, code } = this.#failure as Failure;
    if (!fatal) this.#failure = undefined;
    this.#push({ type: 'error', message, ...present({ code }), ...(fatal && { fatal }) });
  }

  #push(body: EventBody): void {
    const { type, runId = this.runId, ...rest } = body;
    const event = { type, runId, ...rest } as AgentEvent;
    if (this.#sessionId !== undefined) event.sessionId = this.#sessionId;
    if (this.#line !== undefined) event.line = this.#line;
    this.#events.push(event);
  }
}
