import type { LineContext } from '../../shared/line-context.ts';
import { type WireRecord, toRecord, remainder, toText } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';

type Kind = 'text' | 'reasoning';

/** The current message: its records carry pieces of it, or all of it so far. */
interface CurrentMessage {
  /** The program's id for it. */
  readonly id: string;
  readonly number: number;
  block: number;
  kind: Kind | undefined;
  written: string;
  /** The line of its last text; undefined while it has none. */
  textLine?: number | undefined;
}

/** Emits text and reasoning of assistant messages, each piece once. */
export class GooseMessages {
  readonly #context: LineContext;
  #current: CurrentMessage | undefined;
  #count = 0;

  constructor(context: LineContext) {
    this.#context = context;
  }

  /** Registers a record of this message: a new message begins a step. */
  enter(message: WireRecord): void {
    const id = toText(message['id']);
    if (this.#current !== undefined && (id ?? this.#current.id) === this.#current.id) return;
    const number = ++this.#count;
    this.#current = { id: id ?? `m${number}`, number, block: 0, kind: undefined, written: '' };
    const model = toText(toRecord(toRecord(message['metadata'])?.['inference'])?.['requestedModel']);
    this.#context.step({ callId: this.#current.id, model });
  }

  /** Handles a piece of text: either a continuation, or the text so far with a continuation. */
  write(type: Kind, text: string): void {
    const current = this.#current as CurrentMessage;
    if (current.kind !== type) this.nextBlock();
    current.kind = type;
    const { id: callId, number, block, written } = current;
    // A text shorter than the current one cannot repeat it, so no comparison is needed.
    const rest = written !== '' && text.length >= written.length ? remainder(written, text) : undefined;
    current.written = rest === undefined ? written + text : text;
    const content = rest ?? text;
    if (content === '') return;
    if (type === 'text') current.textLine = this.#context.line;
    this.#context.emit({ type, id: `${this.#context.runId}/m${number}/${block}`, content, callId });
  }

  /** Marks the last text as complete; it keeps the line on which it was written. */
  complete(): void {
    const { id: callId, number, block, kind, textLine: line } = this.#current ?? {};
    if (kind !== 'text') return;
    const id = `${this.#context.runId}/m${number}/${block}`;
    this.#context.emit({ type: 'text', id, content: '', ...defined({ callId, line }), final: true });
  }

  /** Ends the current part of the message. */
  nextBlock(): void {
    if (this.#current?.kind === undefined) return;
    this.#current.block++;
    this.#current.kind = undefined;
    this.#current.written = '';
  }

  /** Ends the message. */
  end(): void {
    this.#current = undefined;
  }
}
