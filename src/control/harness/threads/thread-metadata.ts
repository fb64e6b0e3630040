import type { Thread } from '../../../log/index.ts';

/** Returns the metadata without the supervisor's entries about open runs. */
export function ownMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('run:')));
}

/** Returns the metadata that a copy of a thread starts with: without usage, and without the tags of a fork. */
export function copiedMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  const {
    tokenUsage: _,
    forkedSubagent: _fork,
    parentThreadId: _parent,
    parentToolCallId: _call,
    ...copied
  } = ownMetadata(metadata);
  return copied;
}
