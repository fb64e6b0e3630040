import type { Thread } from '../../../log/event-log.ts';

/** Returns the metadata that a copy of a thread starts with: without usage, and without the tags of a fork. */
export function copiedMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  const {
    tokenUsage: _,
    forkedSubagent: _fork,
    parentThreadId: _parent,
    parentToolCallId: _call,
    ...copied
  } = metadata;
  return copied;
}
