import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { defined } from '../../../../base/defined.ts';

type Kind = 'text' | 'reasoning';

/** The message that one run is writing. */
interface CurrentMessage {
  readonly callId: string;
  readonly name: string;
  block: number;
  kind: Kind | undefined;
  textLine: number | undefined;
  /** Whether a result has arrived: a later record without an id then starts another message. */
  hasResult: boolean;
}

/** Numbers the messages of each run, over all its turns; the mark distinguishes those of another process. */
export interface MessageNumbers {
  readonly counts: Map<string, number>;
  readonly mark?: string | undefined;
}

/** Emits text and reasoning of the agent and its subagents, and a step for each message of a model. */
export class AcpMessages {
  readonly #context: LineContext;
  readonly #model: string | undefined;
  readonly #current = new Map<string, CurrentMessage>();
  readonly #numbers: MessageNumbers;

  constructor(context: LineContext, model: string | undefined, numbers: MessageNumbers) {
    this.#numbers = numbers;
    this.#context = context;
    this.#model = model;
  }

  /** Registers a record of a message; a new one begins a step. Without an id it is new after a result. */
  enter(runId: string, id?: string): CurrentMessage {
    const current = this.#current.get(runId);
    if (current !== undefined && (id === undefined ? !current.hasResult : id === current.callId)) return current;
    const number = (this.#numbers.counts.get(runId) ?? 0) + 1;
    this.#numbers.counts.set(runId, number);
    dropOldest(this.#numbers.counts);
    const name = `m${number}${this.#numbers.mark === undefined ? '' : `-${this.#numbers.mark}`}`;
    const callId = id ?? name;
    const entered = { callId, name, block: 0, kind: undefined, textLine: undefined, hasResult: false };
    this.#current.set(runId, entered);
    this.#context.step({ runId, callId, model: runId === this.#context.runId ? this.#model : undefined });
    return entered;
  }

  write(runId: string, type: Kind, content: string, id?: string): void {
    if (content === '') return;
    const current = this.enter(runId, id);
    if (current.kind !== type) this.#endBlock(current);
    current.kind = type;
    if (type === 'text') current.textLine = this.#context.line;
    this.#context.emit({ type, runId, id: blockId(runId, current), content, callId: current.callId });
  }

  /** Ends the current part of a message, because a call follows. */
  endBlock(runId: string, id?: string): void {
    this.#endBlock(this.enter(runId, id));
  }

  result(runId: string): void {
    const current = this.#current.get(runId);
    if (current !== undefined) current.hasResult = true;
  }

  /** Marks the last text of the main run as complete; it keeps the line on which it was written. */
  complete(): void {
    const { runId } = this.#context;
    const current = this.#current.get(runId);
    if (current?.kind !== 'text') return;
    const { callId, textLine: line } = current;
    this.#context.emit({
      type: 'text',
      id: blockId(runId, current),
      content: '',
      callId,
      ...defined({ line }),
      final: true,
    });
  }

  #endBlock(current: CurrentMessage): void {
    if (current.kind === undefined) return;
    current.block++;
    current.kind = undefined;
  }
}

function blockId(runId: string, { name, block }: CurrentMessage): string {
  return `${runId}/${name}/${block}`;
}
