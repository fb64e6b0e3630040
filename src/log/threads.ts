import type { Thread } from './event-log.ts';

/** Metadata with a change merged in, as JSON holds it; a key set to null is removed. */
export function mergeMetadata(
  metadata: Readonly<Record<string, unknown>>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = JSON.parse(JSON.stringify({ ...metadata, ...change })) as Record<string, unknown>;
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** Orders threads as a listing shows them: newest first by `updatedAt`, then by id; negative when `a` comes first. */
export function nextInListing(a: Thread, b: Thread): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}
