import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { OpenCalls } from '../../shared/open-calls.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import type { AcpProfile } from './profile.ts';
import { AcpTurn, failureText } from './turn.ts';

/** Translates the recorded messages of a program that speaks the Agent Client Protocol, without its client. */
export function acpTranslator(profile: AcpProfile, options: TranslatorOptions): Translator {
  return lineTranslator(options, context => new AcpReader(context, profile), { isInteractive: true });
}

/** Whether a record is a message of the protocol. */
export function isAcpMessage(record: WireRecord): boolean {
  return record['jsonrpc'] === '2.0';
}

class AcpReader implements RecordReader {
  readonly #context: LineContext;
  readonly #profile: AcpProfile;
  readonly #ids = { calls: new OpenCalls(), messages: { counts: new Map<string, number>() } };
  readonly #totals: SessionUsage | undefined;
  #turn: AcpTurn;
  /** After the handshake, and until the session is open, updates repeat the history of the session. */
  #state: 'opening' | 'history' | 'open' = 'open';
  /** An error that is the end of the turn unless the turn continues: the answer to another request may be one, too. */
  #error: string | undefined;

  constructor(context: LineContext, profile: AcpProfile) {
    this.#context = context;
    this.#profile = profile;
    this.#totals = profile.countsProcess === true ? new SessionUsage({ inputTokens: 0, outputTokens: 0 }) : undefined;
    this.#turn = this.#newTurn();
  }

  take(record: WireRecord): void {
    const params = toRecord(record['params']);
    const { method } = record;
    const sessionId = toText(params?.['sessionId']) ?? toText(toRecord(record['result'])?.['sessionId']);
    if (sessionId !== undefined && this.#state === 'open') this.#context.session(sessionId);
    const update = method === 'session/update' ? toRecord(params?.['update']) : undefined;
    if (update !== undefined && this.#update(update)) return;
    if (method === 'session/request_permission' && this.#turn.calls.ask(toRecord(params?.['toolCall'])) !== undefined)
      return;
    if (method === undefined && this.#answer(record)) return;
    // The user's answer is not part of the stream.
    if (method !== 'elicitation/create' && this.#profile.ignored?.has(toText(method) ?? '') !== true)
      this.#context.unknown(record);
  }

  flush(): void {
    this.#turn.endCalls();
    if (this.#error !== undefined) this.#context.fail({ message: this.#error });
  }

  #newTurn(): AcpTurn {
    return new AcpTurn({ context: this.#context, profile: this.#profile, ids: this.#ids, totals: this.#totals });
  }

  #update(update: WireRecord): boolean {
    const kind = toText(update['sessionUpdate']) ?? '';
    if (this.#state !== 'open') {
      if (this.#state === 'history' && kind === 'available_commands_update') this.#state = 'open';
      return true;
    }
    if (/^(agent|tool)_/.test(kind)) {
      this.#error = undefined;
      this.#context.finished = false;
    }
    return this.#turn.update(update);
  }

  /** Handles the answer to a prompt; other answers are consumed. Returns whether it is an answer. */
  #answer(record: WireRecord): boolean {
    const error = toRecord(record['error']);
    if (error !== undefined) {
      this.#error ??= failureText({ message: toText(error['message']) ?? '', data: error['data'] });
      this.#context.finished = true;
      return true;
    }
    const result = toRecord(record['result']) ?? {};
    if (result['stopReason'] !== undefined) this.#end(result);
    else if (result['protocolVersion'] !== undefined) this.#state = 'opening';
    else if (this.#state === 'opening' && result['sessions'] === undefined) {
      const isLoaded = result['sessionId'] === undefined;
      this.#state = isLoaded && this.#profile.historyFollowsLoad === true ? 'history' : 'open';
    }
    return 'result' in record;
  }

  #end(result: WireRecord): void {
    this.#error = undefined;
    this.#context.finished = true;
    this.#turn.end({ result });
    this.#turn.endCalls();
    this.#turn = this.#newTurn();
  }
}
