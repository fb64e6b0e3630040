import { randomUUID } from 'node:crypto';
import type { ChannelHost, LiveTurnEnd } from '../../../contract/live-channel.ts';
import { ChannelEvents } from '../../../shared/channel-events.ts';
import type { WireRecord } from '../../../shared/wire-value.ts';
import { ClaudeReader, type ClaudeSessionState } from '../reader.ts';

/** One turn: translates its records, and knows which messages the model has read. */
export class ClaudeTurn {
  /** The id of the prompt. */
  readonly promptId = randomUUID();
  isInterrupted = false;
  readonly runId: string;
  readonly events: ChannelEvents;
  readonly reader: ClaudeReader;
  /** Whether the model has read the prompt. */
  isConfirmed = false;
  /** Whether a result has arrived since the last answer began. */
  hasResult = false;
  readonly #host: ChannelHost;
  /** The steered messages that the model has not read: ours by the program's ids. */
  readonly #unread = new Map<string, string>();

  constructor(host: ChannelHost, runId: string, session: ClaudeSessionState) {
    this.#host = host;
    this.runId = runId;
    this.events = new ChannelEvents(host, runId);
    this.reader = new ClaudeReader(this.events.context, session);
  }

  /** The ids of messages that the model has not read. */
  get unread(): readonly string[] {
    return [...this.#unread.values()];
  }

  /** Translates a record. */
  take(record: WireRecord): void {
    if (record['type'] === 'result') this.hasResult = true;
    else if (record['type'] === 'assistant' || record['subtype'] === 'init') this.hasResult = false;
    // Without a confirmation, the next turn of the program reads the queued messages.
    if (record['subtype'] === 'init' && !this.isConfirmed) this.#joinAll();
    if (this.isInterrupted && record['type'] === 'result') this.reader.interrupted(record);
    else this.reader.take(record);
  }

  warn(message: string, code: string): void {
    this.events.context.emit({ type: 'warning', message, code });
  }

  /** Registers a message that is sent into the turn. */
  steer(uuid: string, messageId: string): void {
    this.#unread.set(uuid, messageId);
  }

  /** Registers that the model has read a message; returns whether it is one of ours. */
  confirm(uuid: string | undefined): boolean {
    if (uuid === this.promptId) {
      this.isConfirmed = true;
      return true;
    }
    const messageId = uuid === undefined ? undefined : this.#unread.get(uuid);
    if (uuid === undefined || messageId === undefined) return false;
    this.#unread.delete(uuid);
    this.hasResult = false;
    this.#host.steered(messageId, 'joined');
    return true;
  }

  /** Emits the remaining events of the turn and returns the reason of its end. */
  close(): LiveTurnEnd['reason'] {
    const { context } = this.events;
    this.events.within(undefined, () => {
      this.reader.flush();
      if (this.isInterrupted) context.forgive();
      context.close();
    });
    return context.failure === undefined ? 'complete' : (context.failure.reason ?? 'error');
  }

  #joinAll(): void {
    for (const messageId of this.#unread.values()) this.#host.steered(messageId, 'joined');
    this.#unread.clear();
  }
}
