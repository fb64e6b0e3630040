import type { AgentEvent } from '../../../events/vocabulary.ts';
import type { ChannelHost } from '../contract/live-channel.ts';
import type { Failure, Translator } from '../contract/translator.ts';
import { toRecord, type WireRecord } from './wire-value.ts';
import { parseJson } from '../../../base/parse-json.ts';

/** Translates the saved messages of an interactive channel; it only knows the messages of the program. */
export interface MessageReader {
  /** Handles one message; its events go to the host. */
  receive(message: unknown, line: number): void;
  /** Emits the remaining events at the end of the stream. */
  end(): void;
  readonly failure: Failure | undefined;
  readonly finished: boolean;
}

/** Creates a translator of saved messages. Its host collects events: it sends nothing, and no timer of it runs. */
export function channelTranslator(readerFor: (host: ChannelHost) => MessageReader): Translator {
  let events: AgentEvent[] = [];
  let count = 0;
  const ignore = () => {};
  const reader = readerFor({
    emit: added => void events.push(...added),
    send: ignore,
    ready: ignore,
    failed: ignore,
    request: ignore,
    withdraw: ignore,
    steered: ignore,
    turnEnded: ignore,
    after: () => ignore,
  });
  const during = (act: () => void): AgentEvent[] => {
    events = [];
    act();
    return events;
  };
  return {
    translate(line, number) {
      count++;
      return during(() => {
        if (line.trim() !== '') reader.receive(parseJson(line, line), number ?? count);
      });
    },
    flush: () => during(() => reader.end()),
    get failure() {
      const { failure } = reader;
      return failure && { reason: 'error' as const, ...failure };
    },
    get finished() {
      return reader.finished;
    },
    isInteractive: true,
  };
}

/** Translates the output of print mode or the messages of the channel: the first record decides which of them it is. */
export function eitherTranslator(
  print: Translator,
  channel: Translator,
  isMessage: (record: WireRecord) => boolean,
): Translator {
  let chosen: Translator | undefined;
  return {
    translate(line, number) {
      const record = chosen === undefined ? toRecord(parseJson(line, line)) : undefined;
      if (record !== undefined) chosen = isMessage(record) ? channel : print;
      return (chosen ?? print).translate(line, number);
    },
    flush: () => (chosen ?? print).flush(),
    get failure() {
      return (chosen ?? print).failure;
    },
    get finished() {
      return (chosen ?? print).finished;
    },
    get isInteractive() {
      return chosen === channel;
    },
  };
}
