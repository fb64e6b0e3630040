import type { ToolOutput } from '../../../../events/tools.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { type OpenCall, OpenCalls } from '../../shared/open-calls.ts';
import { readableError } from '../../shared/readable-error.ts';
import { toCount, toNumber, toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { defined } from '../../../../base/defined.ts';
import { parseJson } from '../../../../base/parse-json.ts';

type On = Readonly<Record<string, (text: string, record: WireRecord) => boolean>>;

const diagnostics = ['error', 'diff_error', 'clineignore_error', 'command_permission_denied'];

/**
 * Translates the flat records of Cline before version 3. Each method returns whether its events cover the whole record;
 * the caller also emits other records, such as bookkeeping, as `unknown`.
 */
export class LegacyRecords {
  readonly #context: LineContext;
  readonly #calls = new OpenCalls();
  /** The calls whose outcome the next model request contains, and their output until then. */
  #waiting: { readonly call: OpenCall; printed: string | undefined }[] = [];
  #request: unknown;
  #count = 0;

  constructor(context: LineContext) {
    this.#context = context;
  }

  take(record: WireRecord): boolean {
    const { type, partial } = record;
    if (type === 'error') return this.#fail(toText(record['message']));
    if (type !== 'say' && type !== 'ask') return false;
    const kind = toText(record[type]);
    const text = record['text'] ?? '';
    const on = type === 'say' ? this.#onSay : this.#onAsk;
    if (kind === undefined || typeof text !== 'string' || !Object.hasOwn(on, kind)) return false;
    return partial === true || (on[kind] as On[string])(text, record);
  }

  /** No later request contains the outcome of the last calls: their printed output is all that is known. */
  flush(): void {
    for (const { call, printed } of this.#waiting) if (printed !== undefined) this.#result(call, { context: printed });
    this.#waiting = [];
  }

  readonly #onSay: On = {
    text: text => this.#write('text', text),
    completion_result: text => {
      this.#context.finished = true;
      return this.#write('text', text);
    },
    reasoning: (text, record) => this.#write('reasoning', toText(record['reasoning']) ?? text),
    api_req_started: (text, record) => this.#requested(text, record),
    api_req_retried: () => {
      this.#context.forgive();
      this.#context.retryStep();
      this.#context.step();
      return false;
    },
    error_retry: text => this.#retry(text),
    tool: text => {
      const { tool, ...input } = toRecord(parseJson(text)) ?? {};
      const name = toText(tool);
      if (name !== undefined) this.#call(name, input);
      return name !== undefined;
    },
    command: text => {
      this.#call('command', { command: text });
      return true;
    },
    command_output: text => this.#printed(text),
    ...Object.fromEntries(diagnostics.map(name => [name, (text: string) => this.#diagnose(text, name)])),
  };

  readonly #onAsk: On = {
    followup: text => this.#write('text', toText(toRecord(parseJson(text))?.['question']) ?? text),
    command_output: text => this.#printed(text),
  };

  #write(type: 'text' | 'reasoning', content: string): boolean {
    if (content === '') return true;
    const fields = { id: `${this.#context.runId}/say-${++this.#count}`, content };
    this.#context.emit(type === 'text' ? { type, ...fields, final: true } : { type, ...fields });
    return true;
  }

  #call(name: string, input: WireRecord): void {
    const call = this.#calls.add(`call-${++this.#count}`, { runId: this.#context.runId, name, input });
    this.#waiting.push({ call, printed: undefined });
    this.#context.emit({ type: 'tool_call', id: call.id, name, input });
  }

  /** A command may report output several times. */
  #printed(text: string): boolean {
    const last = this.#waiting.at(-1);
    if (last === undefined) return false;
    last.printed = `${last.printed ?? ''}${text}`;
    return true;
  }

  #result({ id, name }: OpenCall, output: ToolOutput): void {
    this.#context.emit({ type: 'tool_result', id, name, output });
  }

  /** A model request is reported again, under the same timestamp, when its usage is known. */
  #requested(text: string, record: WireRecord): boolean {
    const request = toRecord(parseJson(text));
    const { ts } = record;
    if (request === undefined) return false;
    if (ts === undefined || ts !== this.#request) {
      for (const { call } of this.#waiting) this.#result(call, resultIn(toText(request['request']) ?? ''));
      this.#waiting = [];
      this.#context.step({ model: toText(toRecord(record['modelInfo'])?.['modelId']) });
    }
    this.#request = ts;
    const inputTokens = toCount(request['tokensIn']);
    const outputTokens = toCount(request['tokensOut']);
    if (inputTokens === undefined || outputTokens === undefined) return false;
    const cacheReadTokens = toCount(request['cacheReads']);
    const cacheWriteTokens = toCount(request['cacheWrites']);
    this.#context.emit({
      type: 'usage',
      inputTokens: inputTokens + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0),
      outputTokens,
      ...defined({ cacheReadTokens, cacheWriteTokens, cost: toCount(request['cost']) }),
    });
    return false;
  }

  #retry(text: string): boolean {
    const { errorMessage, attempt, maxAttempts, failed } = toRecord(parseJson(text)) ?? {};
    const message = readableError(toText(errorMessage) ?? 'The model call failed.');
    if (failed === true) return this.#fail(message);
    const retry = `${message} (retry ${toNumber(attempt) ?? '?'} of ${toNumber(maxAttempts) ?? '?'})`;
    this.#context.emit({ type: 'error', message: retry, code: 'error_retry' });
    return true;
  }

  #diagnose(text: string, code: string): boolean {
    this.#context.emit({ type: 'error', message: text || code, ...(code !== 'error' && { code }) });
    return true;
  }

  /** A failure at the end of a run is reported several times in different words: the first counts. */
  #fail(message: string | undefined): boolean {
    if (message === undefined) return false;
    if (this.#context.failure === undefined) this.#context.fail({ message: readableError(message) });
    return true;
  }
}

/** Returns the text of a model request about its calls, without its repeated trailer. */
function resultIn(request: string): ToolOutput {
  const [outcome = ''] = request.split(/\n+(?:# task_progress |<environment_details>)/, 1);
  const context = outcome.replace(/^\[[^\n]*\] Result:\n/, '');
  if (context.startsWith('The tool execution failed')) return { error: context };
  const exitCode = /^Command \w+ .*\bexit code (\d+)/.exec(context)?.[1];
  return exitCode === undefined ? { context } : { context, result: { exitCode: Number(exitCode) } };
}
