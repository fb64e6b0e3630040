import { pendingRelayPrefix, type Thread } from '../../log/index.ts';

/** Metadata that notes a relay as pending, so that it is found without reading every log. The log is authoritative. */
export function pendingRelayNote(relay: { readonly id: string; readonly runId: string }): Record<string, unknown> {
  return { [pendingRelayPrefix + relay.id]: { runId: relay.runId } };
}

/** Metadata that removes the notes of relays. */
export function noPendingRelay(...relayIds: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(relayIds.map(id => [pendingRelayPrefix + id, null]));
}

/** Whether a relay is noted in a thread; the log decides whether it is pending. */
export function notesRelay({ metadata }: Thread, relayId: string): boolean {
  return Object.hasOwn(metadata, pendingRelayPrefix + relayId);
}
