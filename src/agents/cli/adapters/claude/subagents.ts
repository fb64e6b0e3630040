import type { ToolOutput } from '../../../../events/tools.ts';
import { type ChildRun, ChildRuns } from '../../shared/child-runs.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readAnswer } from './wire.ts';

/** The runs of subagents, by call id: a notice or a first record starts one, a notice or the result ends it. */
export class ClaudeSubagents {
  readonly #context: LineContext;
  readonly #calls: OpenCalls;
  /** The runs of the subagents. */
  readonly children: ChildRuns;
  readonly #onEnd: (runId: string) => void;
  /** Their tasks in a few words. */
  readonly #asked = new Map<string, string>();
  /** Their calls, by the program's ids. */
  readonly #callOf = new Map<string, string>();

  constructor(context: LineContext, calls: OpenCalls, onEnd: (runId: string) => void) {
    this.#context = context;
    this.#calls = calls;
    this.children = new ChildRuns(context);
    this.#onEnd = onEnd;
  }

  /** The number of running subagents. */
  get size(): number {
    return this.children.size;
  }

  /** The program's ids of the running subagents. */
  get taskIds(): readonly string[] {
    return [...this.#callOf].filter(([, key]) => this.children.get(key) !== undefined).map(([taskId]) => taskId);
  }

  /** Returns the run of a running subagent by the program's task id; undefined if no such subagent is running. */
  runOfTask(taskId: string): string | undefined {
    return this.children.get(this.#callOf.get(taskId) ?? '')?.runId;
  }

  /** Returns the subagent that wrote a record, and starts it if necessary; undefined for the main agent. */
  of(record: WireRecord): ChildRun | undefined {
    const key = toText(record['parent_tool_use_id']);
    return key === undefined ? undefined : this.#child(key, record);
  }

  started(record: WireRecord): void {
    const key = toText(record['tool_use_id']);
    if (key === undefined || record['task_type'] === 'local_bash') {
      this.#context.unknown(record);
      return;
    }
    this.#child(key, record);
    this.#asked.set(key, toText(record['description']) ?? '');
    this.#callOf.set(toText(record['task_id']) ?? key, key);
    dropOldest(this.#asked);
    dropOldest(this.#callOf);
  }

  ended(record: WireRecord): void {
    const key = toText(record['tool_use_id']);
    const summary = toText(record['summary']);
    if (key === undefined || this.children.get(key) === undefined) this.#context.unknown(record);
    else {
      const isSuccess = record['status'] === 'completed';
      const asked = this.#asked.get(key);
      // Some versions summarise a task by its request, or by a notice that it is over: that is not an answer.
      const isNotice = summary === asked || (isSuccess && summary?.startsWith(`Agent "${asked}" `) === true);
      this.#end(key, isSuccess, isNotice ? undefined : summary);
    }
  }

  /** Registers the failure that a record of a subagent reports. */
  failed(record: WireRecord, failure: { message: string; code?: string }): void {
    this.children.fail(toText(record['parent_tool_use_id']) ?? '', failure);
  }

  /** The result of a foreground call ends its subagent; a background subagent continues. */
  answered(key: string, call: OpenCall, { output, record }: { output: ToolOutput; record: WireRecord }): void {
    const result = toRecord(record['tool_use_result']);
    if (result?.['status'] === 'async_launched' || result?.['isAsync'] === true) return;
    if (!('context' in output)) this.#end(key, false, 'error' in output ? output.error : output.reason);
    else {
      const id = toText(result?.['agentId']) ?? key;
      if (!this.children.has(key))
        this.children.start(key, { id, parentId: call.id, agentId: readAgentType(result, call) });
      const hasSpoken = this.children.get(key)?.lastText !== undefined;
      this.#end(key, true, hasSpoken ? undefined : readAnswer(output.context, result));
    }
  }

  /** Handles an unknown notice: one about a running subagent belongs to its run. */
  strange(record: WireRecord): void {
    const key = toText(record['tool_use_id']) ?? this.#callOf.get(toText(record['task_id']) ?? '') ?? '';
    const runId = this.children.get(key)?.runId ?? this.#context.runId;
    this.#context.emit({ type: 'unknown', runId, raw: record });
  }

  #child(key: string, record: WireRecord): ChildRun {
    const running = this.children.get(key);
    if (running !== undefined) return running;
    const found = this.#calls.find(key);
    const call = found === 'ambiguous' ? undefined : found;
    const parentId = call?.id ?? `${this.#context.runId}/${key}`;
    const id = toText(record['task_id']) ?? toText(record['agent_id']) ?? key;
    return this.children.start(key, { id, parentId, agentId: readAgentType(record, call) });
  }

  #end(key: string, isSuccess: boolean, answer: string | undefined): void {
    const child = this.children.get(key);
    this.children.end(key, isSuccess ? 'complete' : 'error', answer);
    if (child !== undefined) this.#onEnd(child.runId);
  }
}

function readAgentType(record: WireRecord | undefined, call: OpenCall | undefined): string | undefined {
  return (
    toText(record?.['subagent_type']) ??
    toText(record?.['agentType']) ??
    toText(toRecord(call?.input)?.['subagent_type'])
  );
}
