import type { ChannelHost } from '../../contract/live-channel.ts';
import { recordOf, textOf, type WireRecord } from '../../shared/wire-value.ts';
import type { AcpConnection, AcpRequest } from './connection.ts';
import type { AcpProfile } from './profile.ts';

interface SteeringOptions {
  readonly host: ChannelHost;
  readonly connection: AcpConnection;
  readonly kind: AcpProfile['steer'];
  readonly sessionId: () => string;
}

interface Message {
  readonly id: string;
  readonly blocks: readonly WireRecord[];
}

/** Messages into the open turn: the protocol itself has no method for them, two programs have their own. */
export class AcpSteering {
  readonly #options: SteeringOptions;
  /** Messages that wait until the program fetches them. */
  #waiting: Message[] = [];
  /** Messages for the next prompt. */
  #unsent: string[] = [];
  /** The run of Goose that a message can join. */
  #runId: string | undefined;
  /** Messages that Goose has accepted for its next model call: it drops them when it is stopped before. */
  #unread: string[] = [];
  /** The message of the last model call. */
  #messageId: string | undefined;

  constructor(options: SteeringOptions) {
    this.#options = options;
  }

  steer(id: string, blocks: readonly WireRecord[]): void {
    const { kind, connection, host, sessionId } = this.#options;
    if (kind === 'qwen') this.#waiting.push({ id, blocks });
    else if (kind === 'none' || this.#runId === undefined) this.#queue(id);
    else {
      const params = { sessionId: sessionId(), expectedRunId: this.#runId, prompt: blocks };
      connection.request('_goose/unstable/session/steer', params, answer => {
        if (answer.error !== undefined) return this.#queue(id);
        this.#unread.push(id);
        host.steered(id, 'joined');
      });
    }
  }

  /** Registers the run that is named in an update, and the model call that it belongs to. */
  observe(update: WireRecord): void {
    const goose = recordOf(recordOf(update['_meta'])?.['goose']);
    const messageId = textOf(goose?.['messageId']);
    if (messageId !== undefined && messageId !== this.#messageId) {
      this.#messageId = messageId;
      this.#unread = [];
    }
    if (update['sessionUpdate'] === 'session_info_update' && goose !== undefined && 'activeRunId' in goose)
      this.#runId = textOf(goose['activeRunId']);
  }

  /** Answers the program that fetches messages; returns whether the request was that. */
  drain(request: AcpRequest): boolean {
    if (this.#options.kind !== 'qwen' || request.method !== 'craft/drainMidTurnQueue') return false;
    const messages = this.#waiting;
    this.#waiting = [];
    request.respond({ messages: messages.map(({ blocks }) => textIn(blocks)), hasQueuedPrompt: false });
    for (const { id } of messages) this.#options.host.steered(id, 'joined');
    return true;
  }

  /** Returns the messages that the turn did not take. */
  end(): readonly string[] {
    const unsent = [...this.#unread, ...this.#unsent, ...this.#waiting.map(({ id }) => id)];
    this.#unread = [];
    this.#unsent = [];
    this.#waiting = [];
    return unsent;
  }

  #queue(id: string): void {
    this.#unsent.push(id);
    this.#options.host.steered(id, 'queued');
  }
}

function textIn(blocks: readonly WireRecord[]): string {
  return blocks.flatMap(block => textOf(block['text']) ?? []).join('\n');
}
