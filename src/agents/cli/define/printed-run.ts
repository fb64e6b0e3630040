import { defined } from '../../../base/defined.ts';
import type { ToolOutput } from '../../../events/tools.ts';
import type { EventBody, LineContext } from '../shared/line-context.ts';
import { OpenCalls } from '../shared/open-calls.ts';
import type { WireRecord } from '../shared/wire-value.ts';

/**
 * The run whose output is being read: each method emits an event for the current record. Ids are the program's
 * own; events get ids that are unique in their thread.
 */
export class PrintedRun {
  /** The id of the run. */
  readonly runId: string;
  readonly #context: LineContext;
  readonly #calls: OpenCalls;
  readonly #currentRecord: () => WireRecord;

  constructor(context: LineContext, currentRecord: () => WireRecord, calls = new OpenCalls()) {
    this.#calls = calls;
    this.#context = context;
    this.#currentRecord = currentRecord;
    this.runId = context.runId;
  }

  /** The program's own session: later runs of the thread resume it. */
  session(sessionId: string, details: { readonly cwd?: string; readonly model?: string } = {}): void {
    this.#context.session(sessionId, details);
  }

  /** A model call begins. */
  step(model?: string): void {
    this.#context.step({ model });
  }

  /** A piece of the message `id`; `final` when the message is complete with it. */
  text(id: string, content: string, final?: boolean): void {
    this.#context.emit({ type: 'text', id: this.#toEventId(id), content, ...defined({ final }) });
  }

  /** A piece of the reasoning `id`. */
  reasoning(id: string, content: string): void {
    this.#context.emit({ type: 'reasoning', id: this.#toEventId(id), content });
  }

  /** The model asks for a tool. */
  call(id: string, name: string, input: unknown): void {
    const call = this.#calls.add(id, { runId: this.runId, name, input });
    this.#context.emit({ type: 'tool_call', id: call.id, name, input });
  }

  /** The outcome of the call `id`. Without exactly one open call of this id the record is kept as `unknown`. */
  result(id: string, output: ToolOutput): void {
    const call = this.#calls.settle(id);
    if (call === undefined || call === 'ambiguous') this.#context.unknown(this.#currentRecord());
    else this.#context.emit({ type: 'tool_result', id: call.id, name: call.name, output });
  }

  /** A failure: the run fails with it, unless it continues with text, reasoning or a call. */
  fail(message: string, code?: string): void {
    this.#context.fail({ message, ...defined({ code }) });
  }

  /** The program has reported its end: it is stopped when it does not exit soon. */
  finish(): void {
    this.#context.finished = true;
  }

  /** Emits a record that is not understood as `unknown`. */
  unknown(): void {
    this.#context.unknown(this.#currentRecord());
  }

  /** Any other event, such as `usage` or `warning`; without a `runId` it belongs to this run. */
  emit(event: EventBody): void {
    this.#context.emit(event);
  }

  #toEventId(id: string): string {
    return `${this.runId}/${id}`;
  }
}
