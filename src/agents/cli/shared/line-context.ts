import type { AgentEvent } from '../../../events/index.ts';
import type { Failure } from '../contract/translator.ts';
import { present } from './wire-value.ts';

type Body<Event> = Event extends AgentEvent ? Omit<Event, 'runId' | 'line' | 'ts' | 'seq' | 'sessionId'> : never;

/** An event before it has its envelope; without a `runId` it belongs to the main run. */
export type EventBody = (Body<AgentEvent> | { type: 'session'; sessionId: string; cwd?: string; model?: string }) & {
  readonly runId?: string;
};

const goesOn: ReadonlySet<string> = new Set(['text', 'reasoning', 'tool_call']);

/**
 * Collects the events of one line: adds their envelope, holds back a failure until its meaning is clear, counts steps.
 */
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

  /** Registers the program's session: later events carry it. The same session again has no effect. */
  session(sessionId: string, details: { cwd?: string | undefined; model?: string | undefined } = {}): void {
    const known = this.#sessionId === sessionId;
    if (known && details.cwd === undefined) return;
    this.#sessionId = sessionId;
    this.emit({ type: 'session', sessionId, ...present(details) });
  }

  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** Starts a step of a run. */
  step(details: { runId?: string; callId?: string | undefined; model?: string | undefined } = {}): void {
    const runId = details.runId ?? this.runId;
    const step = this.#steps.get(runId) ?? 0;
    this.#steps.set(runId, step + 1);
    this.emit({ type: 'step_start', ...present(details), step });
  }

  /** Makes the next step of the main run another attempt at the last one. */
  retryStep(): void {
    this.#steps.set(this.runId, Math.max(0, (this.#steps.get(this.runId) ?? 0) - 1));
  }

  forgetSteps(runId: string): void {
    this.#steps.delete(runId);
  }

  /**
   * Registers a failure: fatal at the end of the stream, an intermediate error when the run continues. The same failure
   * again has no effect.
   */
  fail({ message, code, reason }: { message: string; code?: string | undefined; reason?: Failure['reason'] }): void {
    const before = this.#failure;
    if (before !== undefined && before.message !== message) this.#release(false);
    this.#failure = present({ message, code: code ?? this.#failure?.code, reason });
  }

  /** Drops the pending failure because it is being retried. */
  forgive(): void {
    this.#failure = undefined;
  }

  /** Emits a pending failure as fatal. */
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
