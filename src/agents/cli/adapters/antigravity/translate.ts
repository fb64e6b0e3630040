import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { type Diagnostic, readDiagnostic } from './diagnostic.ts';
import { AntigravitySteps } from './steps.ts';
import { readDenied, readError, readStep, readUsage } from './wire.ts';
import { parseJson } from '../../../../base/parse-json.ts';

/** Translates the output of `agy --print`: records, or the plain text of older releases. */
export function antigravityTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new AntigravityReader(context));
}

const timeout = 'timed out waiting for response';
const known = /^\{"event":"(init|step_update|result)"/;

class AntigravityReader implements RecordReader {
  readonly #context: LineContext;
  readonly #steps: AntigravitySteps;
  #form: 'records' | 'plain' | undefined;

  constructor(context: LineContext) {
    this.#context = context;
    this.#steps = new AntigravitySteps(context);
  }

  /** The first line that is no diagnostic decides whether this is plain text; it stays so until a record arrives. */
  takeLine(line: string): boolean {
    if (line.trim() === '') return false;
    const isRecord = known.test(line) || (this.#form !== 'plain' && toRecord(parseJson(line)) !== undefined);
    const diagnostic = isRecord ? undefined : readDiagnostic(line);
    if (diagnostic !== undefined) {
      this.#report(diagnostic);
      return true;
    }
    if (isRecord) this.#form = 'records';
    this.#form ??= 'plain';
    if (this.#form === 'plain') this.#context.unknown(line);
    return this.#form === 'plain';
  }

  take(record: WireRecord): void {
    const event = toText(record['event']);
    // With another output format the output is the result itself.
    const result = event === 'result' ? toRecord(record['result']) : event === undefined ? record : undefined;
    if (event === 'init') this.#init(record);
    else if (event === 'step_update') this.#step(record);
    else if (toText(result?.['status']) !== undefined) this.#result(result as WireRecord);
    else this.#context.unknown(record);
  }

  flush(): void {
    this.#steps.children.flush();
  }

  /** Only the first lines and a timeout end the run: later lines may be words of the agent. */
  #report({ type, message }: Diagnostic): void {
    if (type === 'error' && (this.#form === undefined || message === timeout)) this.#context.fail({ message });
    else this.#context.emit({ type, message });
  }

  #init(record: WireRecord): void {
    const init = toRecord(record['init']);
    const id = toText(record['conversation_id']) ?? toText(init?.['conversation_id']);
    if (id === undefined) this.#context.unknown(record);
    else this.#context.session(id, { cwd: toText(init?.['cwd']), model: toText(init?.['model']) });
  }

  #step(record: WireRecord): void {
    this.#context.finished = false;
    const step = readStep(record);
    if (step === undefined || !this.#steps.take(step)) this.#context.unknown(record);
  }

  #result(result: WireRecord): void {
    const { status, response, error } = result;
    const id = toText(result['conversation_id']);
    this.#context.finished = true;
    if (id !== undefined && this.#context.sessionId === undefined) this.#context.session(id);
    const isSuccess = status === 'SUCCESS' || status === 'success';
    this.#steps.finish(isSuccess, toText(response));
    const usage = this.#steps.hasUsage ? undefined : readUsage(result['usage']);
    if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage });
    for (const action of readDenied(result['denied_actions']))
      this.#context.emit({ type: 'warning', message: `${action} was not permitted.`, code: 'permission_denied' });
    const message = readError(error) ?? `Antigravity ended with status ${String(status)}.`;
    if (!isSuccess) this.#context.fail({ message, code: toText(toRecord(error)?.['type']) });
  }
}
