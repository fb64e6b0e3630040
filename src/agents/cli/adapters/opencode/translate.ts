import { defined } from '../../../../events/defined.ts';
import { ChildRuns, endingRuns } from '../../shared/child-runs.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { readTodos } from '../../shared/read-todos.ts';
import { errorText } from '../../shared/readable-error.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import { readAnswer, readError, readSubagent, readToolOutput, readUsage } from './wire.ts';

/** Translates the output of `opencode run --format json` and of `kilo run --format json`, which is the same. */
export function opencodeTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new OpencodeReader(context));
}

const subagentTools: ReadonlySet<string> = new Set(['task', 'agent_manager']);

class OpencodeReader implements RecordReader {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  readonly #children: ChildRuns;
  /** The ids of emitted parts: a part that changes later, as when old outputs are dropped, is reported again. */
  readonly #reported = new Set<string>();
  /** The message of the current model call. */
  #message: string | undefined;
  #unnamed = 0;

  constructor(context: LineContext) {
    this.#context = context;
    this.#children = new ChildRuns(context);
  }

  take(record: WireRecord): void {
    const sessionId = textOf(record['sessionID']);
    if (sessionId !== undefined) this.#context.session(sessionId);
    this.#context.finished = false;
    const part = recordOf(record['part']) ?? record;
    const type = textOf(record['type']) ?? '';
    if (type === 'error') this.#error(record);
    else if (!Object.hasOwn(this.#on, type)) this.#context.unknown(record);
    else if (!this.#reported.has(textOf(part['id']) ?? '')) {
      const handle = this.#on[type] as (part: WireRecord, record: WireRecord) => void;
      handle(part, record);
    }
  }

  flush(): void {
    this.#children.flush();
  }

  readonly #on: Readonly<Record<string, (part: WireRecord, record: WireRecord) => void>> = {
    step_start: part => this.#stepStart(part),
    step_finish: part => {
      this.#markReported(part);
      this.#message = undefined;
      this.#context.finished = part['reason'] === 'stop' && this.#children.size === 0;
      const usage = readUsage(part);
      if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage });
    },
    text: (part, record) => this.#speech('text', part, record),
    reasoning: (part, record) => this.#speech('reasoning', part, record),
    tool_use: (part, record) => this.#tool(part, record),
  };

  /** A model call that begins again without having finished was cut off and is retried. */
  #stepStart(part: WireRecord): void {
    const message = textOf(part['messageID']);
    this.#markReported(part);
    if (message !== undefined && message === this.#message) {
      this.#context.retryStep();
      this.#context.emit({ type: 'warning', message: 'The model call is tried again.', code: 'retry' });
    }
    this.#message = message;
    this.#context.step({ callId: message });
  }

  #speech(type: 'text' | 'reasoning', part: WireRecord, record: WireRecord): void {
    const content = part['text'];
    if (typeof content !== 'string') this.#context.unknown(record);
    else {
      const { runId } = this.#context;
      const callId = textOf(part['messageID']);
      const id = `${runId}/${this.#markReported(part)}`;
      const said = { id, content, ...defined({ callId }) };
      if (part['synthetic'] === true) return;
      this.#context.emit(type === 'text' ? { type, ...said, final: true } : { type, ...said });
    }
  }

  /** A record is a call and its result in one; while the tool is running, it is only the call. */
  #tool(part: WireRecord, record: WireRecord): void {
    const state = recordOf(part['state']) ?? part;
    const name = textOf(part['tool']);
    if (name === undefined) {
      this.#context.unknown(record);
      return;
    }
    const output = readToolOutput(name, state);
    const rawId = textOf(part['callID']) ?? this.#idOf(part);
    const call = this.#calls.find(rawId) ?? this.#call(rawId, name, state['input'] ?? {});
    if (output === undefined) return;
    this.#markReported(part);
    if (call === 'ambiguous') {
      this.#context.unknown(record);
      return;
    }
    this.#calls.settle(rawId);
    const tasks = name === 'todowrite' && 'context' in output ? readTodos(state['input']) : undefined;
    if (tasks !== undefined) this.#context.emit({ type: 'tasks', tasks });
    const ended = subagentTools.has(name) ? this.#subagent(call, state) : [];
    this.#context.emit({ type: 'tool_result', id: call.id, name: call.name, output: endingRuns(output, ended) });
  }

  #call(rawId: string, name: string, input: unknown): OpenCall {
    const call = this.#calls.add(rawId, { runId: this.#context.runId, name, input });
    this.#context.emit({ type: 'tool_call', id: call.id, name, input });
    return call;
  }

  /**
   * A subagent is known when its call ends; the end of a background subagent is never reported. Returns the id of a
   * subagent that the call stopped.
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

  #error(record: WireRecord): void {
    const error = record['error'] ?? record['message'];
    const failure = readError(error) ?? { message: errorText(error) };
    // Text that a failed step had written comes after its error, and does not mean that the run continues.
    this.#context.fail({ ...failure, endsStep: true });
  }

  #markReported(part: WireRecord): string {
    const id = this.#idOf(part);
    this.#reported.add(id);
    dropOldest(this.#reported);
    return id;
  }

  #idOf(part: WireRecord): string {
    return textOf(part['id']) ?? `part-${++this.#unnamed}`;
  }
}
