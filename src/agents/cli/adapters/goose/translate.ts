import { acpTranslator, isAcpMessage } from '../../channels/acp/acp-translator.ts';
import { eitherTranslator } from '../../shared/channel-translator.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import { errorText } from '../../shared/readable-error.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { readBanner } from './banner.ts';
import { gooseProfile } from './live.ts';
import { GooseMessages } from './messages.ts';
import { GooseSubagents } from './subagents.ts';
import { readFailure, readTasks, readToolCall, readToolOutput, readUsage } from './wire.ts';
import { defined } from '../../../../base/defined.ts';

/** Translates the output of `goose run --output-format stream-json`, or the saved messages of `goose acp`. */
export function gooseTranslator(options: TranslatorOptions): Translator {
  const print = lineTranslator(options, context => new GooseReader(context, options));
  return eitherTranslator(print, acpTranslator(gooseProfile, options), isAcpMessage);
}

class GooseReader implements RecordReader {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  readonly #messages: GooseMessages;
  readonly #subagents: GooseSubagents;
  #hasRecords = false;
  #model: string | undefined;
  #isResumed = false;
  readonly #usage: SessionUsage | undefined;
  /** The session that it was started with. */
  readonly #named: string | undefined;

  constructor(context: LineContext, { sessionId, usedBefore }: TranslatorOptions) {
    this.#context = context;
    this.#named = sessionId;
    this.#messages = new GooseMessages(context);
    this.#subagents = new GooseSubagents(context);
    this.#usage = usedBefore && new SessionUsage(usedBefore);
  }

  /** The banner before the first record has the folder and the model, and the id of a session that is not known. */
  takeLine(line: string): boolean {
    const banner = this.#hasRecords ? undefined : readBanner(line);
    if (banner === undefined) return false;
    const reported = banner.sessionId ?? this.#context.sessionId;
    const sessionId = reported === undefined ? undefined : (this.#named ?? reported);
    this.#model = banner.model ?? this.#model;
    this.#isResumed = banner.isResumed ?? this.#isResumed;
    if (sessionId !== undefined) this.#context.session(sessionId, { cwd: banner.cwd, model: this.#model });
    if (banner.error !== undefined) this.#context.fail({ message: banner.error });
    return true;
  }

  take(record: WireRecord): void {
    this.#hasRecords = true;
    if (this.#named !== undefined) this.#context.session(this.#named);
    const type = toText(record['type']) ?? '';
    if (Object.hasOwn(this.#on, type)) (this.#on[type] as (record: WireRecord) => void)(record);
    else this.#context.unknown(record);
  }

  flush(): void {
    this.#subagents.flush();
  }

  readonly #on: Readonly<Record<string, (record: WireRecord) => void>> = {
    message: record => {
      const message = toRecord(record['message']);
      const content = message?.['content'];
      if (message === undefined || !Array.isArray(content)) this.#context.unknown(record);
      else if (message['role'] === 'assistant') this.#assistant(message, content);
      else if (message['role'] === 'user') this.#user(content);
      else this.#context.unknown(record);
    },
    notification: record => this.#subagents.notified(toText(record['extension_id']) ?? '', record),
    error: record => {
      const message = errorText(record['error'] ?? record['message']);
      this.#context.finished = true;
      this.#context.fail({ message: readFailure(message) ?? message });
    },
    complete: record => {
      this.#context.finished = true;
      // The counts are totals of the session.
      const total = readUsage(record);
      const usage = this.#isResumed ? total && this.#usage?.since(total) : total;
      if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage, ...defined({ model: this.#model }) });
      else this.#messages.complete();
    },
  };

  #assistant(message: WireRecord, content: readonly unknown[]): void {
    this.#context.finished = false;
    // Messages of the program itself name no model.
    const isFromModel = toRecord(toRecord(message['metadata'])?.['inference']) !== undefined;
    for (const value of content) {
      const block = toRecord(value) ?? {};
      const failure = isFromModel ? undefined : failureIn(block);
      if (failure !== undefined) this.#context.fail(failure);
      else {
        this.#messages.enter(message);
        this.#block(block, value);
      }
    }
  }

  #block(block: WireRecord, value: unknown): void {
    const { type, text, thinking, msg } = block;
    if (type === 'text' && typeof text === 'string') this.#messages.write('text', text);
    else if (type === 'thinking' && typeof thinking === 'string') this.#messages.write('reasoning', thinking);
    else if (type === 'reasoning' && typeof text === 'string') this.#messages.write('reasoning', text);
    else if (type === 'toolRequest') this.#toolRequest(block);
    else if (type === 'toolResponse') this.#toolResponse(block);
    else if (type === 'systemNotification' && typeof msg === 'string')
      this.#context.emit({ type: 'warning', message: msg, code: toText(block['notificationType']) ?? 'notification' });
    else if (type !== 'redactedThinking') this.#context.unknown(value ?? null);
  }

  /** Translates results; consumes an echoed prompt. */
  #user(content: readonly unknown[]): void {
    this.#messages.end();
    for (const value of content) {
      const block = toRecord(value);
      if (block?.['type'] === 'toolResponse') this.#toolResponse(block);
      else if (block?.['type'] !== 'text') this.#context.unknown(value ?? null);
    }
  }

  #toolRequest(block: WireRecord): void {
    const request = readToolCall(block);
    if (request === undefined) {
      this.#context.unknown(block);
      return;
    }
    const { rawId, name, input } = request;
    this.#messages.nextBlock();
    const call = this.#calls.add(rawId, { runId: this.#context.runId, name, input });
    this.#context.emit({ type: 'tool_call', id: call.id, name, input });
    this.#subagents.called(rawId, call);
  }

  #toolResponse(block: WireRecord): void {
    const rawId = toText(block['id']);
    const call = rawId === undefined ? undefined : this.#calls.settle(rawId);
    if (rawId === undefined || call === undefined || call === 'ambiguous') {
      this.#context.unknown(block);
      return;
    }
    const { output, meta } = readToolOutput(block);
    const reported = this.#subagents.answered(rawId, call, { output, meta });
    this.#context.emit({ type: 'tool_result', id: call.id, name: call.name, output: reported });
    const tasks = call.name.startsWith('todo__') && 'context' in reported ? readTasks(call.input) : undefined;
    if (tasks !== undefined) this.#context.emit({ type: 'tasks', tasks });
  }
}

/** Returns the failure in a message block that the program wrote itself. */
function failureIn({ type, text, message, msg, kind, notificationType }: WireRecord) {
  const reported = type === 'error' ? toText(message) : type === 'text' ? readFailure(toText(text) ?? '') : undefined;
  if (reported !== undefined) return { message: readFailure(reported) ?? reported, code: toText(kind) };
  const isBroke = type === 'systemNotification' && notificationType === 'creditsExhausted' && typeof msg === 'string';
  return isBroke ? { message: msg, code: 'creditsExhausted' } : undefined;
}
