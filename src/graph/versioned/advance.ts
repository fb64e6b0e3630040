import { Draft } from './draft.ts';
import { Moment } from './moment.ts';
import { Store } from './store.ts';

/** Returns an empty state. */
export function emptyMoment<Tables>(): Moment<Tables> {
  return new Moment(new Store<Tables>(undefined), 0, undefined);
}

/**
 * Returns the state with one more event, as `write` adds it. The given state is not modified; advancing an older one
 * starts a branch that shares everything before it. An event whose seq is not newer, or that has no effect, returns the
 * given state itself.
 */
export function advance<Tables>(
  from: Moment<Tables>,
  event: { readonly seq?: number | undefined },
  write: (draft: Draft<Tables>) => void,
): Moment<Tables> {
  const { seq } = event;
  if (seq !== undefined && from.seq !== undefined && seq <= from.seq) return from;
  const { store, version } = from;
  if (store.lastEvent === event && store.lastFrom === version) return store.lastNext as Moment<Tables>;
  const head = store.head === version ? from : branchFrom(from);
  const draft = new Draft(head);
  head.store.head++;
  write(draft);
  if (!draft.changed) head.store.head--;
  if (!draft.changed && seq === undefined) return from;
  const next = new Moment(head.store, head.store.head, seq ?? from.seq);
  store.lastEvent = event;
  store.lastFrom = version;
  store.lastNext = next;
  return next;
}

/** The limit of stores; more are joined into one, so that a read never walks far. */
const maxDepth = 16;

function branchFrom<Tables>(moment: Moment<Tables>): Moment<Tables> {
  const base = moment.store.depth >= maxDepth ? joined(moment) : moment;
  return new Moment(new Store(base), 0, moment.seq);
}

/** Returns the same state in a store of its own, in time proportional to its size. */
function joined<Tables>(moment: Moment<Tables>): Moment<Tables> {
  const store = new Store<Tables>(undefined);
  for (const [name, key, values] of moment.values())
    for (const value of values) store.add(name, key, value as Tables[typeof name]);
  for (const key of new Set(moment.texts())) store.write(key, moment.text(key));
  return new Moment(store, 0, moment.seq);
}
