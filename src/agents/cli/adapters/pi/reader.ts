import { defined } from '../../../../base/defined.ts';
import { dropOldest } from '../../../drop-oldest.ts';
import type { LineContext } from '../../shared/line-context.ts';
import type { RecordReader } from '../../shared/line-translator.ts';
import { completesText } from '../../shared/completes-text.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { readableError } from '../../shared/readable-error.ts';
import { type WireRecord, toNumber, toRecord, remainder, toText } from '../../shared/wire-value.ts';
import { readToolOutput, readUsage } from './wire.ts';

type Kind = 'text' | 'reasoning';

/** The tool with which the model asks a user. */
export const questionTool = 'ask_user';

export interface PiReaderOptions {
  /** Whether calls start when a user or a rule allows them, and not when the program announces them. */
  readonly waitsForAnswer?: boolean;
  /** The prefix of the numbered names of messages; differs for each process of a run. Default: `m`. */
  readonly messagePrefix?: string;
}

/** Translates the records of Pi: the same in print mode and over its interactive channel. */
export class PiReader implements RecordReader {
  readonly #context: LineContext;
  readonly #waitsForAnswer: boolean;
  readonly #prefix: string;
  readonly #calls = new OpenCalls();
  /** Calls that the program has announced, by its ids. */
  readonly #announced = new Set<string>();
  /** Calls that were declined and have no result, by event id. */
  readonly #declined = new Set<string>();
  /** The number of calls without an id. */
  #unnamed = 0;
  /** The streamed text of the current message's parts, by index. */
  readonly #streamed = new Map<number, { readonly kind: Kind; text: string }>();
  #message = 0;

  constructor(context: LineContext, { waitsForAnswer = false, messagePrefix = 'm' }: PiReaderOptions = {}) {
    this.#context = context;
    this.#waitsForAnswer = waitsForAnswer;
    this.#prefix = messagePrefix;
  }

  /** Returns the open call with this id; emits a new call if no single one is open. */
  call(rawId: string, name: string, input: unknown): OpenCall {
    const found = this.#calls.find(rawId);
    return found === undefined || found === 'ambiguous' ? this.#call(rawId, name, input) : found;
  }

  /** Registers the decision on a call. The driver emits the start of an allowed one. */
  decided(rawId: string, isAllowed: boolean): void {
    const call = this.#calls.find(rawId);
    if (call === undefined || call === 'ambiguous') return;
    if (isAllowed) call.started = true;
    else this.#declined.add(call.id);
  }

  take(record: WireRecord): void {
    const type = toText(record['type']) ?? '';
    if (Object.hasOwn(this.#on, type)) (this.#on[type] as (record: WireRecord) => void)(record);
    else this.#context.unknown(record);
  }

  flush(): void {}

  readonly #on: Readonly<Record<string, (record: WireRecord) => void>> = {
    session: record => {
      const id = toText(record['id']);
      if (id === undefined) this.#context.unknown(record);
      else this.#context.session(id, { cwd: toText(record['cwd']) });
    },
    agent_start: () => {},
    turn_start: () => this.#context.step(),
    message_start: () => {
      this.#streamed.clear();
      this.#message++;
    },
    message_update: record => this.#fragment(toRecord(record['assistantMessageEvent'])),
    message_end: record => {
      const message = toRecord(record['message']);
      if (message === undefined || toText(message['role']) === undefined) this.#context.unknown(record);
      else if (message['role'] === 'assistant') this.#assistant(message, record);
      this.#streamed.clear();
      this.#message++;
    },
    tool_execution_start: record => this.#toolStart(record),
    tool_execution_update: () => {},
    tool_execution_end: record => this.#toolEnd(record),
    turn_end: () => {},
    agent_end: record => {
      this.#context.finished = true;
      if (record['willRetry'] === false) this.#context.confirm();
    },
    agent_settled: () => {
      this.#context.finished = true;
      this.#context.confirm();
    },
    entry_appended: () => {},
    auto_retry_start: record => {
      this.#context.forgive();
      this.#context.retryStep();
      this.#context.finished = false;
      this.#context.emit({ type: 'warning', message: retryMessage(record), code: 'auto_retry' });
    },
    auto_retry_end: record => {
      if (record['success'] === false) this.#context.confirm();
    },
  };

  #fragment(event: WireRecord | undefined): void {
    const delta = toText(event?.['delta']);
    const index = toNumber(event?.['contentIndex']);
    const kind = readKind(event?.['type'], 'text_delta', 'thinking_delta');
    if (delta === undefined || index === undefined || kind === undefined) return;
    const part = this.#streamed.get(index);
    if (part === undefined) this.#streamed.set(index, { kind, text: delta });
    else part.text += delta;
    this.#emit(kind, `${index}`, delta, false);
  }

  #assistant(message: WireRecord, record: WireRecord): void {
    const content = message['content'];
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (!Array.isArray(parts)) {
      this.#context.unknown(record);
      return;
    }
    for (const [index, part] of parts.entries()) this.#part(part, index, completesText(parts, index));
    const usage = readUsage(message);
    if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage, callId: `${this.#prefix}${this.#message}` });
    const { stopReason, errorMessage } = message;
    if (stopReason === 'error' || stopReason === 'aborted')
      this.#context.suspect({ message: readableError(toText(errorMessage) ?? `The model call ended: ${stopReason}.`) });
  }

  #part(value: unknown, index: number, isFinal: boolean): void {
    const part = toRecord(value);
    const kind = readKind(part?.['type'], 'text', 'thinking');
    const whole = kind === 'text' ? part?.['text'] : part?.['thinking'];
    if (kind !== undefined && typeof whole === 'string') {
      const streamed = this.#streamed.get(index);
      const rest = streamed?.kind === kind ? remainder(streamed.text, whole) : undefined;
      const name = streamed !== undefined && rest === undefined ? `${index}-whole` : `${index}`;
      if ((rest ?? whole) !== '' || (isFinal && rest === ''))
        this.#emit(kind, name, rest ?? whole, isFinal || undefined);
    } else if (part?.['type'] === 'toolCall') {
      const rawId = toText(part['id']);
      const name = toText(part['name']);
      if (rawId === undefined || name === undefined) this.#context.unknown(part);
      else this.#call(rawId, name, part['arguments'] ?? {});
    } else this.#context.unknown(value ?? null);
  }

  #emit(type: Kind, part: string, content: string, final?: boolean): void {
    const callId = `${this.#prefix}${this.#message}`;
    const fields = { id: `${this.#context.runId}/${callId}/${part}`, content, callId };
    this.#context.emit(type === 'text' ? { type, ...fields, ...defined({ final }) } : { type, ...fields });
  }

  #call(rawId: string, name: string, input: unknown) {
    const call = this.#calls.add(rawId, { runId: this.#context.runId, name, input });
    this.#context.emit({ type: 'tool_call', id: call.id, name, input });
    return call;
  }

  #toolStart(record: WireRecord): void {
    const rawId = toText(record['toolCallId']);
    const name = toText(record['toolName']);
    if (rawId === undefined || name === undefined) {
      this.#context.unknown(record);
      return;
    }
    const found = this.#calls.find(rawId);
    const call = found === undefined ? this.#call(rawId, name, record['args'] ?? {}) : found;
    if (call === 'ambiguous' || call.started || this.#announced.has(rawId)) this.#context.unknown(record);
    else if (this.#waitsForAnswer && name !== questionTool) {
      this.#announced.add(rawId);
      dropOldest(this.#announced);
    } else this.#start(call);
  }

  #start(call: OpenCall): void {
    call.started = true;
    this.#context.emit({ type: 'tool_start', id: call.id, name: call.name });
  }

  /** A record without a call counts as a call when it contains its own input. */
  #toolEnd(record: WireRecord): void {
    const name = toText(record['toolName']);
    const input = record['input'] ?? record['args'];
    const rawId = toText(record['toolCallId']) ?? (input === undefined ? undefined : `call-${++this.#unnamed}`);
    if (rawId !== undefined && name !== undefined && input !== undefined && this.#calls.find(rawId) === undefined)
      this.#call(rawId, name, input);
    const call = rawId === undefined ? undefined : this.#calls.settle(rawId);
    if (call === undefined || call === 'ambiguous') {
      this.#context.unknown(record);
      return;
    }
    const output = readToolOutput(record);
    const isDeclined = this.#declined.delete(call.id);
    if (this.#announced.delete(rawId ?? '') && !call.started && !isDeclined) this.#start(call);
    const denied = isDeclined && 'error' in output ? { status: 'denied' as const, reason: output.error } : output;
    this.#context.emit({ type: 'tool_result', id: call.id, name: call.name, output: denied });
  }
}

function readKind(type: unknown, text: string, reasoning: string): Kind | undefined {
  if (type === text) return 'text';
  return type === reasoning ? 'reasoning' : undefined;
}

function retryMessage(record: WireRecord): string {
  const attempt = toNumber(record['attempt']) ?? '?';
  const most = toNumber(record['maxAttempts']) ?? '?';
  const error = readableError(toText(record['errorMessage']) ?? 'The model call failed.');
  return `${error} (retry ${attempt} of ${most})`;
}
