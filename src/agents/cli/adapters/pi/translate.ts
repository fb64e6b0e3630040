import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { takeRecord } from './live/turn.ts';
import { PiReader } from './reader.ts';

/** Translates the output of `pi --mode json --print`, or the saved messages of `pi --mode rpc`. */
export function piTranslator(options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new PiStreamReader(context));
}

/** Both modes print the same records; the interactive one adds responses and dialogs. */
class PiStreamReader implements RecordReader {
  readonly #context: LineContext;
  readonly #reader: PiReader;
  #hasStarted = false;

  constructor(context: LineContext) {
    this.#context = context;
    this.#reader = new PiReader(context);
  }

  take(record: WireRecord): void {
    const { type } = record;
    if (type === 'response') this.#response(record);
    // A separate record reports the call of a dialog.
    else if (type === 'extension_ui_request') return;
    else {
      this.#hasStarted ||= type === 'agent_start';
      takeRecord(record, this.#reader, this.#context);
    }
  }

  flush(): void {}

  #response(record: WireRecord): void {
    const { command, success, error } = record;
    const sessionId = toText(toRecord(record['data'])?.['sessionId']);
    if (typeof command !== 'string') this.#context.unknown(record);
    else if (command === 'get_state' && sessionId !== undefined) this.#context.session(sessionId);
    // The failure of an interrupted run is the interrupt.
    else if (command === 'abort') this.#context.forgive();
    else if (success === false && !this.#hasStarted)
      this.#context.fail({ message: `Pi did not accept the ${command}: ${String(error)}` });
  }
}
