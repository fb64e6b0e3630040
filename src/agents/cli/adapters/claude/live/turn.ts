import { randomUUID } from 'node:crypto';
import type { ChannelHost, LiveTurnEnd } from '../../../contract/live-channel.ts';
import { LineContext } from '../../../shared/line-context.ts';
import type { WireRecord } from '../../../shared/wire-value.ts';
import { type AskedCall, ClaudeReader, type ClaudeSessionState } from '../reader.ts';

/** One turn: translates its records, and knows which messages the model has read. */
export class ClaudeTurn {
  /** The id of the prompt. */
  readonly promptId = randomUUID();
  isInterrupted = false;
  readonly #host: ChannelHost;
  readonly #context: LineContext;
  readonly #reader: ClaudeReader;
  /** The steered messages that the model has not read: ours by the program's ids. */
  readonly #unread = new Map<string, string>();
  #isConfirmed = false;
  #hasResult = false;

  constructor(host: ChannelHost, runId: string, session: ClaudeSessionState) {
    this.#host = host;
    this.#context = new LineContext(runId);
    this.#reader = new ClaudeReader(this.#context, session);
  }

  get runId(): string {
    return this.#context.runId;
  }

  /** Registers a call that was rejected: its result is a denial, whatever the program calls it. */
  deny(toolUseId: string): void {
    this.#reader.deny(toolUseId);
  }

  /** Whether the model has read the prompt. */
  get isConfirmed(): boolean {
    return this.#isConfirmed;
  }

  /** Whether a result came after the last answer began. */
  get hasResult(): boolean {
    return this.#hasResult;
  }

  /** The ids of messages that the model has not read. */
  get unread(): readonly string[] {
    return [...this.#unread.values()];
  }

  get hasUnread(): boolean {
    return this.#unread.size > 0;
  }

  get runningTasks(): readonly string[] {
    return this.#reader.runningTasks;
  }

  take(record: WireRecord, number: number | undefined): void {
    if (record['type'] === 'result') this.#hasResult = true;
    else if (record['type'] === 'assistant' || record['subtype'] === 'init') this.#hasResult = false;
    // Without a confirmation, the next turn of the program reads what was queued.
    if (record['subtype'] === 'init' && !this.#isConfirmed) this.#joinAll();
    this.#translate(record, number, () => {
      if (this.isInterrupted && record['type'] === 'result') this.#reader.interrupted(record);
      else this.#reader.take(record);
    });
  }

  /** The event id and the run of a call that a person is asked about. */
  asked(call: AskedCall, number: number | undefined): { readonly id: string; readonly runId: string } {
    let found = { id: `${this.#context.runId}/${call.toolUseId}`, runId: this.#context.runId };
    this.#translate(call, number, () => (found = this.#reader.asked(call)));
    return found;
  }

  unknown(raw: unknown, number: number | undefined): void {
    this.#translate(raw, number, () => this.#context.unknown(raw));
  }

  warn(message: string, number: number | undefined, code = 'refused'): void {
    this.#translate(message, number, () => this.#context.emit({ type: 'warning', message, code }));
  }

  /** Marks an open call that the program ran in a mode in which it does not ask. */
  markUnasked(toolUseId: string, mode: string, number: number | undefined): void {
    const name = this.#reader.openCall(toolUseId)?.name;
    if (name === undefined) return;
    this.warn(`Claude Code ran ${name} without asking, in the permission mode "${mode}".`, number, 'unasked');
  }

  /** Registers a message that is sent into the turn. */
  steer(uuid: string, messageId: string): void {
    this.#unread.set(uuid, messageId);
  }

  /** The model has read a message; returns whether it is one of ours. */
  confirm(uuid: string | undefined): boolean {
    if (uuid === this.promptId) {
      this.#isConfirmed = true;
      return true;
    }
    const messageId = uuid === undefined ? undefined : this.#unread.get(uuid);
    if (uuid === undefined || messageId === undefined) return false;
    this.#unread.delete(uuid);
    this.#hasResult = false;
    this.#host.steered(messageId, 'joined');
    return true;
  }

  /** Emits what is left of the turn; returns why it ended. */
  close(): LiveTurnEnd['reason'] {
    this.#translate(null, undefined, () => {
      this.#reader.flush();
      if (this.isInterrupted) this.#context.forgive();
      this.#context.close();
    });
    return this.#context.failure === undefined ? 'complete' : (this.#context.failure.reason ?? 'error');
  }

  #joinAll(): void {
    for (const messageId of this.#unread.values()) this.#host.steered(messageId, 'joined');
    this.#unread.clear();
  }

  #translate(raw: unknown, number: number | undefined, act: () => void): void {
    this.#context.begin(number);
    try {
      act();
    } catch {
      // Nothing is lost: what is not understood is kept.
      this.#context.unknown(raw);
    }
    const events = this.#context.end();
    if (events.length > 0) this.#host.emit(events);
  }
}
