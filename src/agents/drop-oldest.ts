const most = 10_000;

/** Bounds the size of a map or set of ids: drops the oldest entry. */
export function dropOldest(ids: Map<string, unknown> | Set<string>): void {
  if (ids.size <= most) return;
  const [oldest] = ids.keys();
  ids.delete(oldest as string);
}
