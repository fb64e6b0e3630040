import type { AgentEvent, EventOf } from '../events/index.ts';
import { GrowingMap } from '../graph/versioned/growing-map.ts';
import type { Fold } from './fold.ts';

export type RelayStatus = 'pending' | 'answered' | 'closed';

/** Why nobody can answer a relay any more. */
export type RelayClosing = 'expired' | 'cancelled' | 'run_ended';

/** One relay and where it stands. */
export interface RelayEntry {
  readonly id: string;
  readonly runId: string;
  readonly relay: EventOf<'relay'>;
  /** When it was asked, when that is known. */
  readonly since?: string;
  readonly status: RelayStatus;
  readonly answer?: EventOf<'relay_resolved'>;
  /** Present when it is closed. */
  readonly reason?: RelayClosing;
}

/** The one rule for where a relay stands: the first answer counts, and the end of its run closes it. */
export function relayStanding(
  answer: EventOf<'relay_resolved'> | undefined,
  hasRunEnded: boolean,
): Pick<RelayEntry, 'status' | 'answer' | 'reason'> {
  if (answer === undefined) return hasRunEnded ? { status: 'closed', reason: 'run_ended' } : { status: 'pending' };
  const { outcome } = answer;
  if (outcome === 'expired' || outcome === 'cancelled') return { status: 'closed', answer, reason: outcome };
  return { status: 'answered', answer };
}

/** Every relay of a thread and where it stands. It is immutable: a later book is another object. */
export class RelayBook {
  readonly #pending: ReadonlyMap<string, RelayEntry>;
  readonly #settled: GrowingMap<string, RelayEntry>;
  readonly #endedRuns: GrowingMap<string, true>;

  private constructor(
    pending: ReadonlyMap<string, RelayEntry>,
    settled: GrowingMap<string, RelayEntry>,
    endedRuns: GrowingMap<string, true>,
  ) {
    this.#pending = pending;
    this.#settled = settled;
    this.#endedRuns = endedRuns;
  }

  static readonly empty = (): RelayBook => new RelayBook(new Map(), GrowingMap.of([]), GrowingMap.of([]));

  /** The relays that wait for a person, oldest first. */
  get pending(): readonly RelayEntry[] {
    return [...this.#pending.values()];
  }

  /** The relays that were answered or closed, in the order in which that happened. */
  get settled(): readonly RelayEntry[] {
    return [...this.#settled.values()];
  }

  /** The relay of an id; undefined when nobody asked it. */
  get(relayId: string): RelayEntry | undefined {
    return this.#pending.get(relayId) ?? this.#settled.get(relayId);
  }

  /** The book with the next event; the same book when the event changes nothing, as one that was taken in before. */
  with(event: AgentEvent): RelayBook {
    if (event.type === 'relay') return this.#asked(event);
    if (event.type === 'relay_resolved') {
      const entry = this.#pending.get(event.relayId);
      return entry === undefined ? this : this.#settle([{ ...entry, ...relayStanding(event, false) }]);
    }
    if (event.type === 'harness_end') {
      if (this.#endedRuns.get(event.runId)) return this;
      const open = this.pending.filter(({ runId }) => runId === event.runId);
      const closed = open.map(entry => ({ ...entry, ...relayStanding(undefined, true) }));
      return this.#settle(closed, this.#endedRuns.with(event.runId, true));
    }
    return this;
  }

  /** An id that was asked before keeps its place and its answer. */
  #asked(relay: EventOf<'relay'>): RelayBook {
    const { id, runId, ts } = relay;
    if (this.get(id) !== undefined) return this;
    const hasEnded = this.#endedRuns.get(runId) === true;
    const since = ts === undefined ? {} : { since: ts };
    const entry = { id, runId, relay, ...since, ...relayStanding(undefined, hasEnded) };
    if (hasEnded) return this.#settle([entry]);
    return new RelayBook(new Map(this.#pending).set(id, entry), this.#settled, this.#endedRuns);
  }

  #settle(entries: readonly RelayEntry[], endedRuns = this.#endedRuns): RelayBook {
    if (entries.length === 0) return new RelayBook(this.#pending, this.#settled, endedRuns);
    const pending = new Map(this.#pending);
    let settled = this.#settled;
    for (const entry of entries) {
      pending.delete(entry.id);
      settled = settled.with(entry.id, entry);
    }
    return new RelayBook(pending, settled, endedRuns);
  }
}

/** Where every relay of a thread stands, as a fold. */
export const relayBook: Fold<RelayBook, RelayBook> = {
  get initial() {
    return RelayBook.empty();
  },
  step: (book, event) => book.with(event),
  view: book => book,
};
