import type { EventOf } from '../../../events/vocabulary.ts';
import type { ToolOutput } from '../../../events/tools.ts';
import { unnamedSubagent } from '../../../events/unnamed-subagent.ts';
import { dropOldest } from '../../drop-oldest.ts';
import type { LineContext } from './line-context.ts';
import { toRecord } from './wire-value.ts';
import { defined } from '../../../base/defined.ts';

export interface ChildRun {
  readonly runId: string;
  readonly agentId: string;
  /** The last text it wrote. */
  lastText: string | undefined;
  /** Its last error. */
  lastError: string | undefined;
}

interface ChildStart {
  /** The program's id of the subagent, part of its run id. */
  readonly id: string;
  /** The event id of the call that started it. */
  readonly parentId: string;
  /** The program's name of the subagent, if any. */
  readonly agentId?: string | undefined;
  readonly model?: string | undefined;
}

/** The runs of subagents within one stream, by a key of the program. */
export class ChildRuns {
  readonly #context: LineContext;
  readonly #open = new Map<string, ChildRun>();
  readonly #starts = new Map<string, number>();
  readonly #keys = new Set<string>();

  constructor(context: LineContext) {
    this.#context = context;
  }

  /** The number of running children. */
  get size(): number {
    return this.#open.size;
  }

  get(key: string): ChildRun | undefined {
    return this.#open.get(key);
  }

  /** Whether a child of this key is running or has run. */
  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Stores the last text of a running child. */
  setLastText(runId: string, text: string): void {
    for (const child of this.#open.values()) if (child.runId === runId) child.lastText = text;
  }

  /** Whether this is the id of a running child. */
  isOpen(runId: string): boolean {
    return [...this.#open.values()].some(child => child.runId === runId);
  }

  /** Returns the child of this key and starts it if necessary. */
  start(key: string, { id, parentId, agentId = unnamedSubagent, model }: ChildStart): ChildRun {
    const running = this.#open.get(key);
    if (running !== undefined) return running;
    const starts = (this.#starts.get(id) ?? 0) + 1;
    this.#starts.set(id, starts);
    dropOldest(this.#starts);
    this.#keys.add(key);
    dropOldest(this.#keys);
    const runId = `${this.#context.runId}/${id}${starts > 1 ? `#${starts}` : ''}/run`;
    const child: ChildRun = { runId, agentId, lastText: undefined, lastError: undefined };
    this.#open.set(key, child);
    this.#context.emit({ type: 'harness_start', runId, parentId, agentId, ...defined({ model }) });
    return child;
  }

  /** Ends a child; its answer becomes its last text when it did not write it itself. Returns whether it was running. */
  end(key: string, reason: NonNullable<EventOf<'harness_end'>['reason']>, answer?: string): boolean {
    const child = this.#open.get(key);
    if (child === undefined) return false;
    this.#open.delete(key);
    const { runId, agentId } = child;
    if (answer !== undefined && reason === 'error') this.#error(child, answer);
    else if (answer !== undefined && answer !== child.lastText)
      this.#context.emit({
        type: 'text',
        runId,
        id: `${runId}/answer`,
        content: answer,
        final: true,
        fromResult: true,
      });
    this.#context.emit({ type: 'harness_end', runId, agentId, reason });
    this.#context.forgetSteps(runId);
    return true;
  }

  /** Emits the error that makes a running child fail. */
  fail(key: string, failure: { message: string; code?: string | undefined }): void {
    const child = this.#open.get(key);
    if (child !== undefined) this.#error(child, failure.message, failure.code);
  }

  /** Ends the children whose end was never reported. */
  flush(): void {
    for (const key of [...this.#open.keys()].toReversed()) this.end(key, 'interrupted');
  }

  /** The error of a child is reported once, also when the result of its call repeats it. */
  #error(child: ChildRun, message: string, code?: string): void {
    if (child.lastError === message) return;
    child.lastError = message;
    this.#context.emit({ type: 'error', runId: child.runId, message, ...defined({ code }), fatal: true });
  }
}

/** Returns the output of a call with the ids of the subagents that it ended, if any. */
export function endingRuns(output: ToolOutput, ended: readonly string[]): ToolOutput {
  if (!('context' in output) || ended.length === 0) return output;
  return { ...output, result: { ...toRecord(output.result), ended } };
}
