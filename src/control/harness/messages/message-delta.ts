import type { HarnessMessage } from '../harness-message.ts';

/** What a `message_update` adds at the end of its message. */
export interface MessageDelta {
  readonly type: 'text' | 'thinking';
  readonly delta: string;
}

const deltas = new WeakMap<HarnessMessage, MessageDelta>();

/** The message, with what was added to it noted beside it. */
export function withDelta(message: HarnessMessage, delta: MessageDelta): HarnessMessage {
  deltas.set(message, delta);
  return message;
}

/** What an update added, for those who send it on and already sent what was before; undefined when it is no addition. */
export function deltaOf(message: HarnessMessage): MessageDelta | undefined {
  return deltas.get(message);
}
