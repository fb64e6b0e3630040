import { ChildRuns, endingRuns } from '../../shared/child-runs.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { errorText } from '../../shared/readable-error.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import { type ItemTool, itemTools, readAgentStates, readTasks, readUsage } from './wire.ts';

/** Translates the output of `codex exec --json`. */
export function codexTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new CodexReader(context, options));
}

type Phase = 'started' | 'updated' | 'completed';

const endReasons: ReadonlyMap<string, 'complete' | 'error' | 'aborted'> = new Map([
  ['completed', 'complete'],
  ['errored', 'error'],
  ['failed', 'error'],
  ['not_found', 'error'],
  ['shutdown', 'aborted'],
  ['interrupted', 'aborted'],
]);

class CodexReader implements RecordReader {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  readonly #children: ChildRuns;
  /** Items of unknown types, until they are completed. */
  readonly #strange = new Map<string, WireRecord>();

  readonly #usage: SessionUsage;
  /** The last emitted tasks. */
  #tasks = '';

  constructor(context: LineContext, { usedBefore }: TranslatorOptions) {
    this.#context = context;
    this.#children = new ChildRuns(context);
    this.#usage = new SessionUsage(usedBefore);
  }

  take(record: WireRecord): void {
    const type = textOf(record['type']) ?? '';
    if (Object.hasOwn(this.#on, type)) (this.#on[type] as (record: WireRecord) => void)(record);
    else this.#context.unknown(record);
  }

  flush(): void {
    for (const item of this.#strange.values()) this.#context.unknown(item);
    this.#strange.clear();
    this.#children.flush();
  }

  readonly #on: Readonly<Record<string, (record: WireRecord) => void>> = {
    'thread.started': record => {
      const id = textOf(record['thread_id']);
      if (id === undefined) this.#context.unknown(record);
      else this.#context.session(id);
    },
    'turn.started': () => {
      this.#context.finished = false;
      this.#context.step();
    },
    'turn.completed': record => {
      this.#context.finished = true;
      const total = readUsage(record['usage']);
      const usage = total && this.#usage.since(total);
      if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage });
      else if (total === undefined && record['usage'] !== undefined && record['usage'] !== null)
        this.#context.unknown(record);
    },
    'turn.failed': record => {
      this.#context.finished = true;
      this.#context.fail({ message: errorText(record['error']) || 'The turn failed.' });
    },
    error: record => {
      const message = errorText(record['message'] ?? record['error']);
      if (message.startsWith('Reconnecting...')) this.#context.emit({ type: 'warning', message, code: 'retry' });
      else this.#context.fail({ message });
    },
    'item.started': record => this.#item('started', record),
    'item.updated': record => this.#item('updated', record),
    'item.completed': record => this.#item('completed', record),
  };

  #item(phase: Phase, record: WireRecord): void {
    const item = recordOf(record['item']);
    const id = textOf(item?.['id']);
    const type = textOf(item?.['type']);
    if (item === undefined || id === undefined || type === undefined) this.#context.unknown(record);
    else if (type === 'agent_message' || type === 'reasoning') this.#speech(phase, { type, id, item, record });
    else if (type === 'error') this.#notice(phase, item);
    else if (Object.hasOwn(itemTools, type)) this.#tool(phase, id, { item, record, tool: itemTools[type] as ItemTool });
    else if (phase === 'completed') {
      this.#strange.delete(id);
      this.#context.unknown(record);
    } else {
      this.#strange.set(id, record);
      dropOldest(this.#strange);
    }
  }

  /** The completed item contains the whole text and repeats the earlier ones. */
  #speech(
    phase: Phase,
    { type, id, item, record }: { type: string; id: string; item: WireRecord; record: WireRecord },
  ) {
    if (phase !== 'completed') return;
    const content = item['text'];
    if (typeof content !== 'string') this.#context.unknown(record);
    else {
      const said = { id: `${this.#context.runId}/${id}`, content };
      this.#context.emit(type === 'reasoning' ? { type, ...said } : { type: 'text', ...said, final: true });
    }
  }

  #notice(phase: Phase, item: WireRecord): void {
    const message = typeof item['message'] === 'string' ? item['message'] : errorText(item['message'] ?? item['error']);
    if (phase === 'completed') this.#context.emit({ type: 'error', message });
  }

  #tool(phase: Phase, rawId: string, of: { item: WireRecord; record: WireRecord; tool: ItemTool }): void {
    const { item, record, tool } = of;
    if (phase === 'started') {
      const call = this.#call(rawId, tool, item);
      this.#context.emit({ type: 'tool_start', id: call.id, name: call.name });
    }
    if (item['type'] === 'todo_list') this.#plan(item);
    if (phase !== 'completed') return;
    const call = this.#calls.find(rawId) === undefined ? this.#call(rawId, tool, item) : this.#calls.find(rawId);
    if (call === undefined || call === 'ambiguous') {
      this.#context.unknown(record);
      return;
    }
    this.#calls.settle(rawId);
    const ended = item['type'] === 'collab_tool_call' ? this.#collaborate(item, call.id) : [];
    const output = endingRuns(tool.output(item), ended);
    this.#context.emit({ type: 'tool_result', id: call.id, name: call.name, output });
  }

  /** The last report of a list often repeats the previous one. */
  #plan(item: WireRecord): void {
    const tasks = readTasks(item);
    const serialized = JSON.stringify(tasks);
    if (tasks === undefined || serialized === this.#tasks) return;
    this.#tasks = serialized;
    this.#context.emit({ type: 'tasks', tasks });
  }

  /** An item that was never started, as in older versions, is its own call. */
  #call(rawId: string, tool: ItemTool, item: WireRecord) {
    const call = this.#calls.add(rawId, { runId: this.#context.runId, name: tool.name(item), input: tool.input(item) });
    this.#context.emit({ type: 'tool_call', id: call.id, name: call.name, input: call.input });
    return call;
  }

  /** Starts and ends the runs of the agents that a call names; returns the ids of those that ended. */
  #collaborate(item: WireRecord, parentId: string): string[] {
    return readAgentStates(item).flatMap(({ id, status, message }) => {
      const reason = endReasons.get(status);
      if (item['tool'] === 'spawn_agent') this.#children.start(id, { id, parentId, agentId: 'codex' });
      return reason !== undefined && this.#children.end(id, reason, message) ? [id] : [];
    });
  }
}
