import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { recordOf, type WireRecord } from '../../shared/wire-value.ts';
import type { AcpProfile } from './profile.ts';
import { AcpTurn } from './turn.ts';

/** Translates the recorded messages of a program that speaks the Agent Client Protocol, without its client. */
export function acpTranslator(profile: AcpProfile, options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new AcpReader(context, profile));
}

class AcpReader implements RecordReader {
  readonly #context: LineContext;
  readonly #turn: AcpTurn;

  constructor(context: LineContext, profile: AcpProfile) {
    this.#context = context;
    this.#turn = new AcpTurn({ context, profile, ids: { calls: new OpenCalls(), messages: { counts: new Map() } } });
  }

  take(record: WireRecord): void {
    const params = recordOf(record['params']);
    const update = recordOf(params?.['update']);
    const { method } = record;
    const { sessionId } = params ?? {};
    if (typeof sessionId === 'string' && sessionId !== '') this.#context.session(sessionId);
    if (method === 'session/update' && update !== undefined && this.#turn.update(update)) return;
    if (method === 'session/request_permission' && this.#turn.calls.ask(recordOf(params?.['toolCall'])) !== undefined)
      return;
    if (method === undefined && this.#answer(record)) return;
    this.#context.unknown(record);
  }

  /** Handles the answer to a prompt; other answers are consumed. Returns whether it is an answer. */
  #answer(record: WireRecord): boolean {
    const result = recordOf(record['result']);
    if (result === undefined) return false;
    if (result['stopReason'] === undefined) return true;
    this.#context.finished = true;
    this.#turn.end({ result });
    return true;
  }

  flush(): void {
    this.#turn.endCalls();
  }
}
