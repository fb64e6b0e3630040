import type { ChannelHost } from '../../../contract/live-channel.ts';
import { ChannelEvents } from '../../../shared/channel-events.ts';
import { joinedText, recordOf, type WireRecord } from '../../../shared/wire-value.ts';
import { PiReader } from '../reader.ts';
import { takeRecord } from './records.ts';
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
      /** The program does nothing any more. */
      readonly ended: () => void;
      /** A message of the person has reached the model. */
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
    const message = type === 'message_start' ? recordOf(record['message']) : undefined;
    if (message?.['role'] === 'user') {
      this.events.flush();
      this.#heard(joinedText(message['content']) ?? '');
    }
    this.events.flush();
    this.end.take(record);
  }
}
