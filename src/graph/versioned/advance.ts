import { type Draft, Snapshot, Store } from './store.ts';

/** Returns an empty store. */
export function emptyStore<Tables>(): Store<Tables> {
  return new Store<Tables>(undefined, { newest: 0 }, 0);
}

/** Returns an empty state. */
export function emptySnapshot<Tables>(): Snapshot<Tables> {
  return new Snapshot(emptyStore<Tables>(), 0, undefined);
}

/**
 * Returns the state with one more event, as `write` adds it. The given state is not modified; advancing an older one
 * starts a branch that shares everything before it. An event whose seq is not newer, or that has no effect, returns the
 * given state itself.
 */
export function advance<Tables, State extends Snapshot<Tables>, Event extends { readonly seq?: number | undefined }>(
  from: State & Snapshot<Tables>,
  event: Event,
  write: (draft: Draft<Tables>, event: Event) => void,
): State {
  const { seq } = event;
  if (seq !== undefined && from.seq !== undefined && seq <= from.seq) return from;
  const { store, version } = from;
  if (store.lastEvent === event && store.lastFrom === version) return store.lastNext as State;
  const own = store.head === version ? store : storeOn(from);
  const { draft, lineage, head } = own;
  draft.changed = false;
  own.head = ++lineage.newest;
  write(draft, event);
  if (!draft.changed) {
    own.head = head;
    lineage.newest--;
    if (seq === undefined) return from;
  }
  const next = from.at(own, own.head, seq ?? from.seq) as State;
  store.lastEvent = event;
  store.lastFrom = version;
  store.lastNext = next;
  return next;
}

/** The limit of stores; more are joined into one, so that a read never walks far. */
const maxDepth = 16;

/** Returns a new store on top of a state. */
function storeOn<Tables>(from: Snapshot<Tables>): Store<Tables> {
  const { store, version } = from;
  return new Store(store.depth >= maxDepth ? joined(from) : from, store.lineage, version);
}

/** Copies a state into a new store without a base, in time proportional to its size. */
function joined<Tables>(from: Snapshot<Tables>): Snapshot<Tables> {
  const { version } = from;
  const store = new Store<Tables>(undefined, from.store.lineage, version);
  for (const [name, key, values] of from.values())
    for (const value of values) store.add(name, key, value as Tables[typeof name]);
  for (const key of new Set(from.texts())) store.write(key, from.text(key), from.owner(key));
  return from.at(store, version, from.seq);
}
