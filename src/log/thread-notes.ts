import { checkThreadFilter } from './checks.ts';
import { followUpPrefix, openRunPrefix, pendingRelayPrefix, type Thread, type ThreadFilter } from './event-log.ts';

/** The prefixes of metadata keys by which programs find threads; users of a thread do not see such keys. */
export const notePrefixes = [openRunPrefix, pendingRelayPrefix, followUpPrefix] as const;

export type NotePrefix = (typeof notePrefixes)[number];

/** Returns the prefixes of which a thread has at least one key each, so that a filter selects it. */
export function requiredNotes(filter: ThreadFilter): NotePrefix[] {
  checkThreadFilter(filter);
  const { openRuns, pendingRelays, followUps } = filter;
  const required: NotePrefix[] = [];
  if (openRuns === true) required.push(openRunPrefix);
  if (pendingRelays === true) required.push(pendingRelayPrefix);
  if (followUps === true) required.push(followUpPrefix);
  return required;
}

/** Whether the metadata of a thread has a key with a prefix. */
export function hasNote(metadata: Thread['metadata'], prefix: NotePrefix): boolean {
  for (const key in metadata) if (key.startsWith(prefix)) return true;
  return false;
}

/** Indexes threads in memory by the notes in their metadata. */
export class NotedThreads {
  readonly #ids = new Map<NotePrefix, Set<string>>(notePrefixes.map(prefix => [prefix, new Set()]));

  /** Indexes a thread again after its metadata changed. */
  update({ id, metadata }: Pick<Thread, 'id' | 'metadata'>): void {
    for (const [prefix, ids] of this.#ids)
      if (hasNote(metadata, prefix)) ids.add(id);
      else ids.delete(id);
  }

  remove(threadId: string): void {
    for (const ids of this.#ids.values()) ids.delete(threadId);
  }

  /** Returns the ids of the threads with all these notes. */
  withAll([first, ...others]: readonly [NotePrefix, ...NotePrefix[]]): string[] {
    return [...this.#of(first)].filter(id => others.every(prefix => this.#of(prefix).has(id)));
  }

  #of(prefix: NotePrefix): ReadonlySet<string> {
    return this.#ids.get(prefix) ?? new Set();
  }
}
