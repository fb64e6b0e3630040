const most = 10_000;

/** Keeps a map or set that remembers ids at a bounded size: the oldest entry goes first. */
export function dropOldest(ids: Map<string, unknown> | Set<string>): void {
  if (ids.size <= most) return;
  const [oldest] = ids.keys();
  ids.delete(oldest as string);
}
