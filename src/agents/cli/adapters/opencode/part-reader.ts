import { defined } from '../../../../base/defined.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import { type ChildRun, type ChildRuns, endingRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { readTodos } from '../../shared/read-todos.ts';
import { toRecord, remainder, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readAnswer, readError, readSubagent, readToolOutput, readUsage } from './wire.ts';

export interface PartReaderOptions {
  readonly context: LineContext;
  readonly children: ChildRuns;
  /** The run that the parts belong to. Default: the main run. */
  readonly runId?: string;
  /** Returns the subagent whose parts these are; absent for the main run. */
  readonly self?: () => ChildRun | undefined;
}

const subagentTools: ReadonlySet<string> = new Set(['task', 'agent_manager']);

/**
 * Translates the parts of the messages of one session of OpenCode or Kilo Code, which are the same in print mode and
 * over their servers. A part may be reported several times; only what is new becomes events.
 */
export class PartReader {
  readonly #context: LineContext;
  readonly #children: ChildRuns;
  readonly #runId: string;
  readonly #self: () => ChildRun | undefined;
  readonly #calls = new OpenCalls();
  /** The ids of complete parts: a part that changes later, as when old outputs are dropped, is reported again. */
  readonly #complete = new Set<string>();
  /** The text of parts that are being written. */
  readonly #written = new Map<string, string>();
  /** The message of the current model call. */
  #message: string | undefined;
  #unnamed = 0;

  constructor({ context, children, runId = context.runId, self = () => undefined }: PartReaderOptions) {
    this.#context = context;
    this.#children = children;
    this.#runId = runId;
    this.#self = self;
  }

  /** Whether a part was reported as a whole. */
  isComplete(part: WireRecord): boolean {
    return this.#complete.has(toText(part['id']) ?? '');
  }

  /** Returns the open call of the program's id. */
  call(rawId: string): OpenCall | undefined {
    const call = this.#calls.find(rawId);
    return call === 'ambiguous' ? undefined : call;
  }

  /** A model call that begins again without having finished was cut off and is retried. */
  stepStart(part: WireRecord): void {
    const message = toText(part['messageID']);
    this.#markComplete(part);
    if (message !== undefined && message === this.#message) {
      this.#context.retryStep(this.#runId);
      const warning = { type: 'warning', message: 'The model call is tried again.', code: 'retry' } as const;
      this.#context.emit({ ...warning, runId: this.#runId });
    }
    this.#message = message;
    this.#context.step({ runId: this.#runId, callId: message });
  }

  stepFinish(part: WireRecord): void {
    this.#markComplete(part);
    this.#message = undefined;
    const usage = readUsage(part);
    if (usage !== undefined) this.#context.emit({ type: 'usage', runId: this.#runId, ...usage });
  }

  /** Emits the new end of a text. Returns false if the part has no text, or does not extend the earlier one. */
  speech(type: 'text' | 'reasoning', part: WireRecord, isWhole = true): boolean {
    const whole = part['text'];
    if (typeof whole !== 'string') return false;
    if (part['synthetic'] === true) {
      this.#markComplete(part);
      return true;
    }
    const rawId = this.#toId(part);
    const written = this.#written.get(rawId);
    const content = remainder(written ?? '', whole);
    if (isWhole) this.#markComplete({ id: rawId });
    else this.#write(rawId, whole);
    const self = this.#self();
    if (isWhole && type === 'text' && self !== undefined) self.lastText = whole;
    // An empty text still marks the end of the earlier text.
    const isNews = isWhole && (type === 'text' || written === undefined);
    if (isNews || (content ?? '') !== '') this.#say(type, part, { rawId, content: content ?? '', isWhole });
    return content !== undefined;
  }

  /** Emits a fragment of a text that is being written. */
  delta(type: 'text' | 'reasoning', part: WireRecord, content: string): void {
    const rawId = this.#toId(part);
    this.#write(rawId, (this.#written.get(rawId) ?? '') + content);
    if (content !== '') this.#say(type, part, { rawId, content, isWhole: false });
  }

  /**
   * A record is a call and its result in one; while the tool is running, it is only the call. Returns false when it is
   * neither.
   */
  tool(part: WireRecord): boolean {
    const state = toRecord(part['state']) ?? part;
    const name = toText(part['tool']);
    if (name === undefined) return false;
    const output = readToolOutput(name, state);
    const rawId = toText(part['callID']) ?? this.#toId(part);
    const call = this.#calls.find(rawId) ?? this.#call(rawId, name, state['input'] ?? {});
    if (output === undefined) {
      if (call !== 'ambiguous' && subagentTools.has(name)) this.#startSubagent(call, state);
      return true;
    }
    this.#markComplete(part);
    if (call === 'ambiguous') return false;
    this.#calls.settle(rawId);
    const runId = this.#runId;
    const tasks = name === 'todowrite' && 'context' in output ? readTodos(state['input']) : undefined;
    if (tasks !== undefined) this.#context.emit({ type: 'tasks', runId, tasks });
    const ended = subagentTools.has(name) ? this.#subagent(call, state) : [];
    this.#context.emit({ type: 'tool_result', runId, id: call.id, name: call.name, output: endingRuns(output, ended) });
    return true;
  }

  #say(
    type: 'text' | 'reasoning',
    part: WireRecord,
    { rawId, content, isWhole }: { rawId: string; content: string; isWhole: boolean },
  ): void {
    const callId = toText(part['messageID']);
    const fields = { runId: this.#runId, id: `${this.#runId}/${rawId}`, content, ...defined({ callId }) };
    this.#context.emit(type === 'text' ? { type, ...fields, final: isWhole } : { type, ...fields });
  }

  #call(rawId: string, name: string, input: unknown): OpenCall {
    const call = this.#calls.add(rawId, { runId: this.#runId, name, input });
    this.#context.emit({ type: 'tool_call', runId: this.#runId, id: call.id, name, input });
    return call;
  }

  #startSubagent(call: OpenCall, state: WireRecord): void {
    const subagent = readSubagent(state);
    if (subagent === undefined || subagent.isStopped) return;
    const { sessionId: id, agentId, model } = subagent;
    if (!this.#children.has(id)) this.#children.start(id, { id, parentId: call.id, agentId, model });
  }

  /**
   * Print mode names a subagent only when its call ends; the end of a background subagent is not reported there.
   * Returns the id of a subagent that the call stopped.
   */
  #subagent(call: OpenCall, state: WireRecord): string[] {
    const subagent = readSubagent(state);
    if (subagent === undefined) return [];
    const { sessionId: id, agentId, model, isStopped, isBackground } = subagent;
    if (isStopped) return this.#children.end(id, 'aborted') ? [id] : [];
    this.#children.start(id, { id, parentId: call.id, agentId, model });
    if (state['status'] === 'error') this.#children.end(id, 'error', readError(state['error'])?.message);
    else if (!isBackground) this.#children.end(id, 'complete', readAnswer(state['output']));
    return [];
  }

  #write(rawId: string, text: string): void {
    this.#written.set(rawId, text);
    dropOldest(this.#written);
  }

  #markComplete(part: WireRecord): void {
    const id = this.#toId(part);
    this.#written.delete(id);
    this.#complete.add(id);
    dropOldest(this.#complete);
  }

  #toId(part: WireRecord): string {
    return toText(part['id']) ?? `part-${++this.#unnamed}`;
  }
}
