import type { AcpRequest } from '../../channels/acp/request.ts';
import type { AcpSteering, SteeringChannel } from '../../channels/acp/steering.ts';
import { toText, type WireRecord } from '../../shared/wire-value.ts';

/** The request with which Qwen Code fetches the messages that wait for its turn. */
export const drainMethod = 'craft/drainMidTurnQueue';

/** Keeps messages until Qwen Code fetches them. */
export class QwenSteering implements AcpSteering {
  readonly #host: SteeringChannel['host'];
  #waiting: { readonly id: string; readonly text: string }[] = [];

  constructor({ host }: SteeringChannel) {
    this.#host = host;
  }

  steer(id: string, blocks: readonly WireRecord[]): void {
    this.#waiting.push({ id, text: blocks.flatMap(block => toText(block['text']) ?? []).join('\n') });
  }

  take(request: AcpRequest): boolean {
    if (request.method !== drainMethod) return false;
    const messages = this.#waiting.splice(0);
    request.respond({ messages: messages.map(({ text }) => text), hasQueuedPrompt: false });
    for (const { id } of messages) this.#host.steered(id, 'joined');
    return true;
  }

  end(): readonly string[] {
    return this.#waiting.splice(0).map(({ id }) => id);
  }
}
