import { defined } from '../../../../base/defined.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type WireRecord, toRecord, remainder, toText } from '../../shared/wire-value.ts';
import { readBlocks } from './wire.ts';

type Kind = 'text' | 'reasoning';

/** The current message of a run: the text of a block may arrive in fragments first and whole afterwards. */
interface CurrentMessage {
  readonly id: string;
  /** The program's id for it; undefined until a record names it. */
  name: string | undefined;
  /** The index of the block that is being written. */
  block: number;
  kind: Kind | undefined;
  streamed: string;
}

/** Emits text and reasoning of assistant messages, each piece once. */
export class ClaudeMessages {
  readonly #context: LineContext;
  readonly #current = new Map<string, CurrentMessage>();
  /** The runs whose next message has begun its step already. */
  readonly #begun = new Set<string>();
  #unnamed = 0;

  constructor(context: LineContext) {
    this.#context = context;
  }

  /** Registers a record of this message: a message that is new to its run begins a step. */
  enter(runId: string, message: WireRecord | undefined): void {
    const current = this.#current.get(runId);
    const name = toText(message?.['id']);
    if (current !== undefined && (name === undefined || current.name === name)) return;
    if (current !== undefined && wasStreamed(current, message)) {
      current.name = name;
      return;
    }
    const id = name ?? `message-${++this.#unnamed}`;
    this.#current.set(runId, { id, name, block: 0, kind: undefined, streamed: '' });
    if (!this.#begun.delete(runId)) this.#context.step({ runId, callId: id, model: toText(message?.['model']) });
  }

  /** Begins the step of a message whose record has not arrived yet. */
  begin(runId: string): void {
    if (this.#begun.has(runId)) return;
    this.#begun.add(runId);
    this.#context.step({ runId });
  }

  /** Emits a whole block, without the part that was streamed; `isFinal` when the text of its record ends with it. */
  write(runId: string, kind: Kind, whole: string, isFinal = false): void {
    const message = this.#message(runId);
    const rest = message.kind === kind ? remainder(message.streamed, whole) : undefined;
    if (rest === undefined && message.kind !== undefined) message.block++;
    if ((rest ?? whole) !== '' || (isFinal && rest === ''))
      this.#emit(runId, kind, rest ?? whole, isFinal || undefined);
    this.nextBlock(runId);
  }

  /** Emits a fragment of the current block. */
  stream(runId: string, event: WireRecord | undefined): void {
    const delta = toRecord(event?.['delta']);
    const text = toText(delta?.['text']) ?? toText(delta?.['thinking']);
    if (event?.['type'] === 'message_start') this.enter(runId, toRecord(event['message']));
    if (event?.['type'] !== 'content_block_delta' || text === undefined) return;
    const kind = delta?.['type'] === 'thinking_delta' ? 'reasoning' : 'text';
    const message = this.#message(runId);
    if (message.kind !== undefined && message.kind !== kind) this.nextBlock(runId);
    message.kind = kind;
    message.streamed += text;
    this.#emit(runId, kind, text, false);
  }

  nextBlock(runId: string): void {
    const message = this.#message(runId);
    message.block++;
    message.kind = undefined;
    message.streamed = '';
  }

  forget(runId: string): void {
    this.#current.delete(runId);
    this.#begun.delete(runId);
  }

  #emit(runId: string, type: Kind, content: string, final?: boolean): void {
    const { id, block } = this.#message(runId);
    const fields = { runId, id: `${runId}/${id}/${block}`, content, callId: id };
    this.#context.emit(type === 'text' ? { type, ...fields, ...defined({ final }) } : { type, ...fields });
  }

  #message(runId: string): CurrentMessage {
    if (!this.#current.has(runId)) this.enter(runId, undefined);
    return this.#current.get(runId) as CurrentMessage;
  }
}

/** Returns whether a record completes the streamed block, whose fragments can precede the name of its message. */
function wasStreamed({ kind, streamed }: CurrentMessage, message: WireRecord | undefined): boolean {
  const field = kind === 'reasoning' ? 'thinking' : 'text';
  const [first] = readBlocks(message) ?? [];
  return kind !== undefined && toText(toRecord(first)?.[field])?.startsWith(streamed) === true;
}
