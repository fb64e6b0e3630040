import type { Thread } from './event-log.ts';
import { notePrefixes } from './thread-notes.ts';

/** Returns the metadata of a thread for its users: without the notes by which programs find threads. */
export function visibleMetadata(metadata: Thread['metadata']): Record<string, unknown> {
  const isNote = (key: string) => notePrefixes.some(prefix => key.startsWith(prefix));
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !isNote(key)));
}
