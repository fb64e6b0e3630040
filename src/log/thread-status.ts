import type { Thread } from './event-log.ts';
import type { OpenKind } from './open-things.ts';

/** What a thread does: waits for a person, runs, or neither. */
export type ThreadStatus = 'waiting' | 'running' | 'idle';

/** Returns what a thread does, from what is open in it. */
export function threadStatus(thread: Pick<Thread, 'open'>): ThreadStatus {
  if (hasOpen(thread, 'relay')) return 'waiting';
  return hasOpen(thread, 'run') ? 'running' : 'idle';
}

/** Whether something of a kind is open in a thread. */
export function hasOpen({ open = [] }: Pick<Thread, 'open'>, kind: OpenKind): boolean {
  return open.some(thing => thing.kind === kind);
}
