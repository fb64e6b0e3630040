import { ChildRuns } from '../../shared/child-runs.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { toRecord, toText } from '../../shared/wire-value.ts';
import { readError, readSubagents, readToolOutput, readUsage, type Step } from './wire.ts';

/** The location of a step; the key is unique among the steps of all conversations. */
interface Place {
  readonly runId: string;
  readonly key: string;
}

/**
 * Translates the steps of a conversation and its subagents' conversations: several records describe a step until it is
 * done.
 */
export class AntigravitySteps {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  /** The runs of the subagents. */
  readonly children: ChildRuns;
  /** The runs of subagents, by conversation. */
  readonly #conversations = new Map<string, string>();
  /** The running subagents, and the step that started each. */
  readonly #running = new Map<string, string>();
  readonly #over = new Set<string>();
  /** The step that is being written, by run. */
  readonly #writing = new Map<string, string>();
  /** The steps that wrote text and are not done. */
  readonly #unfinished = new Set<string>();
  #hasText = false;
  #hasUsage = false;

  constructor(context: LineContext) {
    this.#context = context;
    this.children = new ChildRuns(context);
  }

  /** Whether a step reported its usage: the result repeats the sum. */
  get hasUsage(): boolean {
    return this.#hasUsage;
  }

  /** Emits the events of a step; returns false when it is done already, or of an unknown type. */
  take(step: Step): boolean {
    const place = this.#getPlace(step);
    if (this.#over.has(place.key) || !this.#emit(step, place)) return false;
    if (!step.isOver) return true;
    this.#over.add(place.key);
    dropOldest(this.#over);
    const usage = readUsage(step.wire['usage']);
    if (usage !== undefined) this.#context.emit({ type: 'usage', runId: place.runId, ...usage });
    this.#hasUsage ||= usage !== undefined;
    return true;
  }

  /** Ends the turn: a response that no step wrote becomes its text, and the subagents it waited for end. */
  finish(isSuccess: boolean, response: string | undefined): void {
    const { runId } = this.#context;
    if (response !== undefined && !this.#hasText)
      this.#context.emit({ type: 'text', id: `${runId}/response`, content: response, final: true });
    this.#hasText = false;
    if (isSuccess) this.#endChildren('complete');
  }

  #emit(step: Step, place: Place): boolean {
    const { type } = step;
    if (type === 'agent_response') this.#respond(step, place);
    else if (type === 'tool') this.#call(step, place);
    else if (type === 'subagent') this.#delegate(step, place);
    else return type === 'user_input' || type === 'checkpoint';
    return true;
  }

  #respond({ wire, isFailed, isOver }: Step, place: Place): void {
    const { runId, key } = place;
    if (this.#writing.get(runId) !== key) {
      this.#writing.set(runId, key);
      this.#context.step({ runId, callId: key });
    }
    this.#write('reasoning', wire['thinking_delta'], place);
    this.#write('text', wire['text_delta'], place, isOver);
    if (!isFailed) return;
    const message = readError(wire['error']) ?? 'The response failed.';
    if (runId === this.#context.runId) this.#context.fail({ message });
    else this.#context.emit({ type: 'error', runId, message });
  }

  #write(type: 'text' | 'reasoning', delta: unknown, { runId, key }: Place, isFinal = false): void {
    const isCompleted = isFinal && this.#unfinished.delete(key);
    const content = toText(delta) ?? (isCompleted ? '' : undefined);
    if (content === undefined) return;
    const fields = { runId, id: `${this.#context.runId}/${key}/${type}`, content, callId: key };
    this.#context.emit(type === 'text' ? { type, ...fields, final: isFinal } : { type, ...fields });
    if (type === 'reasoning') return;
    if (!isFinal) this.#unfinished.add(key);
    dropOldest(this.#unfinished);
    this.#hasText ||= runId === this.#context.runId;
  }

  #call(step: Step, place: Place): void {
    this.#open(step, place);
    if (step.isOver) this.#close(step, place);
  }

  /** The step that starts subagents ends before they do. */
  #delegate(step: Step, place: Place): void {
    const call = this.#open(step, place);
    for (const [number, { name: agentId, conversation }] of readSubagents(step.wire).entries()) {
      const key = `${place.key}.${number}`;
      const { runId } = this.children.start(key, { id: key, parentId: call.id, agentId });
      this.#running.set(key, place.key);
      if (conversation !== undefined) this.#conversations.set(conversation, runId);
      dropOldest(this.#conversations);
    }
    if (step.isFailed) this.#endChildren('error', place.key);
    if (step.isOver) this.#close(step, place);
  }

  #open({ type, wire }: Step, { runId, key }: Place): OpenCall {
    const open = this.#calls.find(key);
    if (open !== undefined && open !== 'ambiguous') return open;
    const info = toRecord(wire['tool_info']);
    const name = toText(wire['tool_name']) ?? toText(info?.['name']) ?? type;
    const input = info?.['parameters'] ?? wire['subagent_info'] ?? {};
    const call = this.#calls.add(key, { runId, name, input });
    this.#context.emit({ type: 'tool_call', runId, id: call.id, name, input });
    return call;
  }

  #close(step: Step, { runId, key }: Place): void {
    const { id, name } = this.#calls.settle(key) as OpenCall;
    this.#context.emit({ type: 'tool_result', runId, id, name, output: readToolOutput(step) });
  }

  #endChildren(reason: 'complete' | 'error', ofStep?: string): void {
    for (const [key, step] of this.#running) {
      if (ofStep !== undefined && step !== ofStep) continue;
      this.#running.delete(key);
      this.children.end(key, reason);
    }
  }

  #getPlace({ conversation = '', index }: Step): Place {
    const runId = this.#conversations.get(conversation);
    return runId !== undefined && this.children.isOpen(runId)
      ? { runId, key: `${conversation}/step-${index}` }
      : { runId: this.#context.runId, key: `step-${index}` };
  }
}
