import { openRunPrefix, pendingRelayPrefix, type Thread } from './event-log.ts';
import { hasNote } from './thread-notes.ts';

/** What a thread does: waits for a person, runs, or neither. */
export type ThreadStatus = 'waiting' | 'running' | 'idle';

/** Returns what a thread does, from its notes. */
export function threadStatus({ metadata }: Pick<Thread, 'metadata'>): ThreadStatus {
  if (hasNote(metadata, pendingRelayPrefix)) return 'waiting';
  return hasNote(metadata, openRunPrefix) ? 'running' : 'idle';
}
