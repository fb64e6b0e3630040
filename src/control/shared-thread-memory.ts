import type { EventLog } from '../log/event-log.ts';
import { ThreadMemory } from './thread-memory.ts';

const memories = new WeakMap<EventLog, ThreadMemory>();

/** Returns the one memory of a log's threads that supervisors, servers and runtimes of this process share. */
export function sharedThreadMemory(log: EventLog): ThreadMemory {
  const known = memories.get(log);
  if (known !== undefined) return known;
  const memory = new ThreadMemory(log);
  memories.set(log, memory);
  return memory;
}
