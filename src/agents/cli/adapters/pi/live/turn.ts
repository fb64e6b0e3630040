import type { ChannelHost } from '../../../contract/live-channel.ts';
import { ChannelEvents } from '../../../shared/channel-events.ts';
import { joinedText, toRecord, toText, type WireRecord } from '../../../shared/wire-value.ts';
import { PiReader } from '../reader.ts';
import type { LineContext } from '../../../shared/line-context.ts';
import { RunEnd } from './run-end.ts';

/** The state of one run over its turns: its reader, which keeps ids apart, and the end of the open turn. */
export class PiTurn {
  readonly runId: string;
  readonly events: ChannelEvents;
  readonly reader: PiReader;
  readonly end: RunEnd;
  readonly #heard: (text: string) => void;
  /** Whether the agent of the program has started in this turn. */
  hasStarted = false;

  constructor(
    host: ChannelHost,
    options: {
      readonly runId: string;
      readonly waitsForAnswer: boolean;
      /** The mark of a resumed session, in which the run may have begun. */
      readonly resumeMark: string | undefined;
      /** Called when the program has finished its work. */
      readonly ended: () => void;
      /** Called when a user message has reached the model. */
      readonly heard: (text: string) => void;
    },
  ) {
    this.runId = options.runId;
    this.events = new ChannelEvents(host, options.runId);
    this.reader = new PiReader(this.events.context, {
      waitsForAnswer: options.waitsForAnswer,
      ...(options.resumeMark !== undefined && { messagePrefix: `${options.resumeMark}-m` }),
    });
    this.end = new RunEnd(host, options.ended);
    this.#heard = options.heard;
  }

  /** Begins another turn of the same run. */
  again(): void {
    this.hasStarted = false;
    this.events.context.forgive();
    this.events.context.forgetSteps(this.runId);
  }

  /** Translates one record that is neither a response nor a dialog. */
  take(record: WireRecord): void {
    const { type } = record;
    if (type === 'agent_start') this.hasStarted = true;
    takeRecord(record, this.reader, this.events.context);
    const message = type === 'message_start' ? toRecord(record['message']) : undefined;
    if (message?.['role'] === 'user') this.#heard(joinedText(message['content']) ?? '');
    this.events.flush();
    this.end.take(record);
  }
}

const consumed: ReadonlySet<string> = new Set([
  'auto_compaction_end',
  'auto_compaction_start',
  'compaction_end',
  'compaction_start',
  'model_changed',
  'queue_update',
  'session_info_changed',
  'thinking_level_changed',
]);

/** Translates one record of the interactive mode that is neither a response nor a dialog. */
export function takeRecord(record: WireRecord, reader: PiReader, context: LineContext): void {
  const type = toText(record['type']) ?? '';
  const problem = toText(record['errorMessage']);
  if (type === 'extension_error') {
    const message = `Extension ${String(record['extensionPath'])}: ${String(record['error'])}`;
    context.emit({ type: 'warning', message, code: 'extension' });
  } else if (type === 'compaction_end' && problem !== undefined)
    context.emit({ type: 'warning', message: problem, code: 'compaction' });
  else if (!consumed.has(type)) reader.take(record);
}
