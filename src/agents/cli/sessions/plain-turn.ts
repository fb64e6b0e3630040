import type { EventOf } from '../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../events/tools.ts';
import { ChildRuns } from '../shared/child-runs.ts';
import type { LineContext } from '../shared/line-context.ts';
import type { RecordReader } from '../shared/line-translator.ts';
import { type OpenCall, OpenCalls } from '../shared/open-calls.ts';

/** A turn of a program whose session records differ from its live output; emits texts, calls and results as read. */
export class PlainTurn implements RecordReader {
  readonly context: LineContext;
  readonly children: ChildRuns;
  readonly #calls = new OpenCalls();
  /** The runs with a model call in progress. */
  readonly #inStep = new Set<string>();
  #texts = 0;

  constructor(context: LineContext) {
    this.context = context;
    this.children = new ChildRuns(context);
  }

  take(): void {}

  flush(): void {
    this.children.flush();
  }

  /** Emits a text or reasoning that is complete. */
  say(type: 'text' | 'reasoning', content: string, runId = this.context.runId): void {
    if (content === '') return;
    this.#step(runId);
    if (type === 'text') this.children.setLastText(runId, content);
    const fields = { runId, id: `${runId}/${++this.#texts}`, content };
    this.context.emit(type === 'text' ? { type, ...fields, final: true } : { type, ...fields });
  }

  call(rawId: string, name: string, input: unknown, runId = this.context.runId): OpenCall {
    this.#step(runId);
    const call = this.#calls.add(rawId, { runId, name, input });
    this.context.emit({ type: 'tool_call', runId, id: call.id, name, input });
    return call;
  }

  /** Returns the open call of the program's id. */
  openCall(rawId: string): OpenCall | undefined {
    const call = this.#calls.find(rawId);
    return call === 'ambiguous' ? undefined : call;
  }

  /** Emits the result of a call, and ends its model call. Returns false when the call is not open. */
  result(rawId: string, output: ToolOutput): boolean {
    const call = this.#calls.settle(rawId);
    if (call === undefined || call === 'ambiguous') return false;
    if (call.runId !== this.context.runId && !this.children.isOpen(call.runId)) return false;
    const { runId, id, name } = call;
    this.#inStep.delete(runId);
    this.context.emit({ type: 'tool_result', runId, id, name, output });
    return true;
  }

  /** Ends the step of a run: its next output starts another step. */
  endStep(runId = this.context.runId): void {
    this.#inStep.delete(runId);
  }

  /** Emits the usage of a model call and ends the call. */
  usage(usage: Omit<EventOf<'usage'>, 'type' | 'runId'> | undefined, runId = this.context.runId): void {
    if (usage === undefined) return;
    this.#inStep.delete(runId);
    this.context.emit({ type: 'usage', runId, ...usage });
  }

  #step(runId: string): void {
    if (this.#inStep.has(runId)) return;
    this.#inStep.add(runId);
    this.context.step({ runId });
  }
}
