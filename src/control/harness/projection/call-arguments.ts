import type { EventOf } from '../../../events/vocabulary.ts';

/** Adds the arguments of the call to a suspension that does not contain them. */
export function withArgs(relay: EventOf<'relay'>, inputOf: (callId: string) => unknown): EventOf<'relay'> {
  if (relay.relayKind !== 'suspension' || relay.params !== undefined || relay.toolCallId === undefined) return relay;
  const input = inputOf(relay.toolCallId);
  return typeof input === 'object' && input !== null ? { ...relay, params: { ...input } } : relay;
}
