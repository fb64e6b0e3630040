import { type OpenChanges, openThingsIn, type OpenThing } from '../open-things.ts';
import { damagedThread } from './errors.ts';
import { command, type Connection, type SqlValue } from './statement.ts';
import type { Head } from './thread-row.ts';

/** The open things of a thread as one text: the condition that finds them names the thread. */
export const openColumn = `coalesce((SELECT json_group_array(json_array(kind, id, run, seq, request, owner)) FROM open_things WHERE thread = threads.key), '[]')`;

/** The index of open things. Ids are stored as JSON: an event may have any. */
export class OpenTable {
  readonly #open;
  readonly #close;
  readonly #end;
  readonly #own;
  readonly #deleteAll;

  constructor(db: Connection) {
    this.#open = command(db, 'INSERT OR IGNORE INTO open_things VALUES (?, ?, ?, ?, ?, ?, ?)');
    this.#close = command(db, 'DELETE FROM open_things WHERE thread = ? AND kind = ? AND id = ?');
    this.#end = command(db, `DELETE FROM open_things WHERE thread = ? AND kind <> 'message' AND run = ?`);
    this.#own = command(db, `UPDATE open_things SET owner = ? WHERE thread = ? AND kind = 'run' AND id = ?`);
    this.#deleteAll = command(db, 'DELETE FROM open_things WHERE thread = ?');
  }

  change(thread: number, { closed, ended, opened }: OpenChanges, owner?: string): void {
    for (const { kind, id } of closed) this.#close.run(thread, kind, JSON.stringify(id));
    for (const runId of ended) this.#end.run(thread, JSON.stringify(runId));
    const text = (value: unknown): SqlValue => (value === undefined ? null : JSON.stringify(value));
    for (const { kind, id, runId, seq, request } of opened)
      this.#open.run(thread, kind, text(id), text(runId), seq, text(request), request ? (owner ?? null) : null);
  }

  /** Sets the owner of an open run. */
  own(thread: number, runId: string, owner: string): void {
    this.#own.run(owner, thread, JSON.stringify(runId));
  }

  /** Replaces the open things of a thread when `seq` is its newest event; returns whether it is. */
  replace(thread: Pick<Head, 'key' | 'seq'> | undefined, things: readonly OpenThing[], seq: number): boolean {
    if (thread?.seq !== seq) return false;
    this.deleteAll(thread.key);
    for (const thing of things) this.change(thread.key, { closed: [], ended: [], opened: [thing] }, thing.owner);
    return true;
  }

  deleteAll(thread: number): void {
    this.#deleteAll.run(thread);
  }
}

/** The open things of a thread, oldest first; throws when the file is damaged there. */
export function toOpenThings({ id, open }: { readonly id: string; readonly open: string }): readonly OpenThing[] {
  if (open === '[]') return [];
  try {
    return openThingsIn(open).toSorted((a, b) => a.seq - b.seq);
  } catch {
    throw damagedThread(id);
  }
}
