import { hasNote, openRunPrefix, pendingRelayPrefix, type Thread } from '../../log/index.ts';

/** What a thread does: waits for a person, runs, or neither. */
export type ThreadStatus = 'waiting' | 'running' | 'idle';

/** Returns what a thread does, from its notes. */
export function threadStatus({ metadata }: Pick<Thread, 'metadata'>): ThreadStatus {
  if (hasNote(metadata, pendingRelayPrefix)) return 'waiting';
  return hasNote(metadata, openRunPrefix) ? 'running' : 'idle';
}

/** Returns how long ago something was, in one unit. */
export function ageText(iso: string, now: number = Date.now()): string {
  const seconds = Math.max(0, Math.round((now - Date.parse(iso)) / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}
