import { ChildRuns } from '../../shared/child-runs.ts';
import { channelTranslator, eitherTranslator } from '../../shared/channel-translator.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { errorText } from '../../shared/readable-error.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { ServeSavedMessages } from './live/saved-messages.ts';
import { PartReader } from './part-reader.ts';
import { readError } from './wire.ts';

/**
 * Translates the output of `opencode run --format json` and of `kilo run --format json`, which is the same, or the
 * saved messages of their servers.
 */
export function opencodeTranslator(options: TranslatorOptions): Translator {
  return eitherTranslator(
    lineTranslator(options, context => new OpencodeReader(context)),
    channelTranslator(host => new ServeSavedMessages(host, options.runId)),
    record => 'properties' in record || 'response' in record,
  );
}

class OpencodeReader implements RecordReader {
  readonly #context: LineContext;
  readonly #children: ChildRuns;
  readonly #parts: PartReader;

  constructor(context: LineContext) {
    this.#context = context;
    this.#children = new ChildRuns(context);
    this.#parts = new PartReader({ context, children: this.#children });
  }

  take(record: WireRecord): void {
    const sessionId = toText(record['sessionID']);
    if (sessionId !== undefined) this.#context.session(sessionId);
    this.#context.finished = false;
    const part = toRecord(record['part']) ?? record;
    const type = toText(record['type']) ?? '';
    if (type === 'error') this.#error(record);
    else if (!Object.hasOwn(this.#on, type)) this.#context.unknown(record);
    else if (!this.#parts.isComplete(part)) {
      const handle = this.#on[type] as (part: WireRecord) => boolean;
      if (!handle(part)) this.#context.unknown(record);
    }
  }

  flush(): void {
    this.#children.flush();
  }

  /** The handlers of records; each returns false when the record is not understood. */
  readonly #on: Readonly<Record<string, (part: WireRecord) => boolean>> = {
    step_start: part => {
      this.#parts.stepStart(part);
      return true;
    },
    step_finish: part => {
      this.#context.finished = part['reason'] === 'stop' && this.#children.size === 0;
      this.#parts.stepFinish(part);
      return true;
    },
    text: part => this.#parts.speech('text', part),
    reasoning: part => this.#parts.speech('reasoning', part),
    tool_use: part => this.#parts.tool(part),
  };

  #error(record: WireRecord): void {
    const error = record['error'] ?? record['message'];
    const failure = readError(error) ?? { message: errorText(error) };
    // A failed step can report its text after its error, which does not mean that the run continues.
    this.#context.fail({ ...failure, endsStep: true });
  }
}
