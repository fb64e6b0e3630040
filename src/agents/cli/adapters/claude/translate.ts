import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { ClaudeReader, readAskedCall } from './reader.ts';

/**
 * Translates the output of `claude --print --output-format stream-json --verbose`, or the saved messages of its control
 * protocol, which has the same records.
 */
export function claudeTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new ClaudeStreamReader(context));
}

/** Messages that only the client needs. */
const consumed: ReadonlySet<unknown> = new Set([
  'command_lifecycle',
  'control_cancel_request',
  'control_response',
  'keep_alive',
]);

class ClaudeStreamReader implements RecordReader {
  readonly #context: LineContext;
  readonly #reader: ClaudeReader;

  constructor(context: LineContext) {
    this.#context = context;
    this.#reader = new ClaudeReader(context);
  }

  take(record: WireRecord): void {
    const { type } = record;
    if (consumed.has(type) || (type === 'user' && record['isReplay'] === true)) return;
    if (type === 'control_request') this.#requested(record);
    else if (type === 'result' && isInterrupted(record)) this.#reader.interrupted(record);
    else this.#reader.take(record);
  }

  flush(): void {
    this.#reader.flush();
  }

  #requested(record: WireRecord): void {
    const request = toRecord(record['request']);
    const call = readAskedCall(request);
    if (call !== undefined) this.#reader.asked(call);
    else if (request?.['subtype'] !== 'hook_callback') this.#context.unknown(record);
  }
}

/** Whether a user stopped the turn. */
function isInterrupted(record: WireRecord): boolean {
  return record['is_error'] === true && toText(record['terminal_reason'])?.startsWith('aborted_') === true;
}
