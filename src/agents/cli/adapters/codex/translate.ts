import { channelTranslator, eitherTranslator } from '../../shared/channel-translator.ts';
import { ChildRuns } from '../../shared/child-runs.ts';
import type { LineContext } from '../../shared/line-context.ts';
import { lineTranslator, type RecordReader } from '../../shared/line-translator.ts';
import { errorText } from '../../shared/readable-error.ts';
import { SessionUsage } from '../../shared/session-usage.ts';
import type { Translator, TranslatorOptions } from '../../contract/translator.ts';
import { toRecord, toText, type WireRecord } from '../../shared/wire-value.ts';
import { CodexItems } from './items.ts';
import { CodexSavedMessages } from './live/saved-messages.ts';
import { readUsage } from './wire.ts';

/** Translates the output of `codex exec --json`, or the saved messages of `codex app-server`. */
export function codexTranslator(options: TranslatorOptions): Translator {
  return eitherTranslator(
    lineTranslator(options, context => new CodexReader(context, options)),
    channelTranslator(host => new CodexSavedMessages(host, options.runId)),
    record => 'method' in record || 'result' in record,
  );
}

class CodexReader implements RecordReader {
  readonly #context: LineContext;
  readonly #children: ChildRuns;
  readonly #items: CodexItems;
  readonly #usage: SessionUsage;

  constructor(context: LineContext, { usedBefore }: TranslatorOptions) {
    this.#context = context;
    const children = new ChildRuns(context);
    this.#children = children;
    this.#items = new CodexItems({
      context,
      agents: {
        start: (id, { callId }) => void children.start(id, { id, parentId: callId, agentId: 'codex' }),
        end: (id, reason, answer) => children.end(id, reason, answer),
        mention: () => {},
        setLastText: () => {},
      },
    });
    this.#usage = new SessionUsage(usedBefore);
  }

  take(record: WireRecord): void {
    const type = toText(record['type']) ?? '';
    if (Object.hasOwn(this.#on, type)) (this.#on[type] as (record: WireRecord) => void)(record);
    else this.#context.unknown(record);
  }

  flush(): void {
    this.#items.flush();
    this.#children.flush();
  }

  readonly #on: Readonly<Record<string, (record: WireRecord) => void>> = {
    'thread.started': record => {
      const id = toText(record['thread_id']);
      if (id === undefined) this.#context.unknown(record);
      else this.#context.session(id);
    },
    'turn.started': () => {
      this.#context.finished = false;
      this.#context.step();
    },
    'turn.completed': record => {
      this.#context.finished = true;
      const total = readUsage(record['usage']);
      const usage = total && this.#usage.since(total);
      if (usage !== undefined) this.#context.emit({ type: 'usage', ...usage });
      else if (total === undefined && record['usage'] !== undefined && record['usage'] !== null)
        this.#context.unknown(record);
    },
    'turn.failed': record => {
      this.#context.finished = true;
      this.#context.fail({ message: errorText(record['error']) || 'The turn failed.' });
    },
    error: record => {
      const message = errorText(record['message'] ?? record['error']);
      if (message.startsWith('Reconnecting...')) this.#context.emit({ type: 'warning', message, code: 'retry' });
      else this.#context.fail({ message });
    },
    'item.started': record => this.#items.take('started', toRecord(record['item']), record),
    'item.updated': record => this.#items.take('updated', toRecord(record['item']), record),
    'item.completed': record => this.#items.take('completed', toRecord(record['item']), record),
  };
}
