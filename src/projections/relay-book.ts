import type { AgentEvent, EventOf } from '../events/vocabulary.ts';
import { GrowingMap } from '../graph/versioned/growing-map.ts';
import type { Fold } from './fold.ts';

export type RelayStatus = 'pending' | 'answered' | 'closed';

/** The reason why a relay can no longer be answered. */
export type RelayClosing = 'expired' | 'cancelled' | 'run_ended';

/** A relay and its status. */
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
  /** Whether the permission that it granted for later calls was revoked. */
  readonly isRevoked?: true;
}

/** The facts that determine the status of a relay. */
export interface RelayFacts {
  readonly answer: EventOf<'relay_resolved'> | undefined;
  readonly hasRunEnded: boolean;
  /** The time on the clock of the log; no relay expires when absent. */
  readonly now?: number;
}

/**
 * The one rule for where a relay stands: the first answer counts; the end of its run closes it, and so does the time at
 * which it expires, whether or not that is in the log yet.
 */
export function relayStanding(
  relay: Pick<EventOf<'relay'>, 'expiresAt'>,
  { answer, hasRunEnded, now }: RelayFacts,
): Pick<RelayEntry, 'status' | 'answer' | 'reason'> {
  if (answer === undefined) {
    if (hasRunEnded) return { status: 'closed', reason: 'run_ended' };
    return now !== undefined && hasExpired(relay, now)
      ? { status: 'closed', reason: 'expired' }
      : { status: 'pending' };
  }
  const { outcome } = answer;
  if (outcome === 'expired' || outcome === 'cancelled') return { status: 'closed', answer, reason: outcome };
  return { status: 'answered', answer };
}

/** Whether the time to answer a relay is over, on the clock of the log. */
export function hasExpired({ expiresAt }: Pick<EventOf<'relay'>, 'expiresAt'>, now: number): boolean {
  return expiresAt !== undefined && Date.parse(expiresAt) <= now;
}

/** Whether an answer still allows later calls of its thread without asking. */
export function isGranting({ answer, isRevoked }: Pick<RelayEntry, 'answer' | 'isRevoked'>): boolean {
  return answer?.outcome === 'approve' && (answer.remember ?? 'once') !== 'once' && isRevoked !== true;
}

/** Every relay of a thread and its status. It is immutable: each change returns a new book. */
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

  /** Returns the relay with an id; undefined when it is unknown. */
  get(relayId: string): RelayEntry | undefined {
    return this.#pending.get(relayId) ?? this.#settled.get(relayId);
  }

  /** The book at a time on the clock of the log, without the relays that have expired by then; to read, not to continue. */
  at(now: number): RelayBook {
    const facts = { answer: undefined, hasRunEnded: false, now };
    return this.#settle(
      this.pending.flatMap(entry => {
        const standing = relayStanding(entry.relay, facts);
        return standing.status === 'pending' ? [] : { ...entry, ...standing };
      }),
    );
  }

  /** Returns the book with the next event; the same book when the event changes nothing or was already applied. */
  with(event: AgentEvent): RelayBook {
    if (event.type === 'relay') return this.#asked(event);
    if (event.type === 'relay_resolved') {
      const entry = this.#pending.get(event.relayId);
      if (entry === undefined) return this;
      return this.#settle([{ ...entry, ...relayStanding(entry.relay, { answer: event, hasRunEnded: false }) }]);
    }
    if (event.type === 'grant_revoked') {
      const entry = this.#settled.get(event.relayId);
      return entry === undefined || entry.isRevoked ? this : this.#settle([{ ...entry, isRevoked: true }]);
    }
    if (event.type === 'harness_end') {
      if (this.#endedRuns.get(event.runId)) return this;
      const open = this.pending.filter(({ runId }) => runId === event.runId);
      const ended = { answer: undefined, hasRunEnded: true };
      const closed = open.map(entry => ({ ...entry, ...relayStanding(entry.relay, ended) }));
      return this.#settle(closed, this.#endedRuns.with(event.runId, true));
    }
    return this;
  }

  /** An id that was asked before keeps its place and its answer. */
  #asked(relay: EventOf<'relay'>): RelayBook {
    const { id, runId, ts } = relay;
    if (this.get(id) !== undefined) return this;
    const hasRunEnded = this.#endedRuns.get(runId) === true;
    const since = ts === undefined ? {} : { since: ts };
    const entry = { id, runId, relay, ...since, ...relayStanding(relay, { answer: undefined, hasRunEnded }) };
    if (hasRunEnded) return this.#settle([entry]);
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

/** Folds the status of every relay of a thread. */
export const relayBook: Fold<RelayBook, RelayBook> = {
  get initial() {
    return RelayBook.empty();
  },
  step: (book, event) => book.with(event),
  view: book => book,
};
