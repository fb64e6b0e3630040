import { SingletreeError } from '../events/index.ts';
import type { Thread } from './event-log.ts';

/** Metadata with a change merged in, as JSON holds it, in a copy; a key set to null is removed. */
export function mergeMetadata(
  metadata: Readonly<Record<string, unknown>>,
  change: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...metadata, ...asJson(change) };
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== null));
}

/** A thread that shares nothing with the one it is a copy of. */
export function copyThread(thread: Thread): Thread {
  return {
    ...thread,
    metadata: asJson(thread.metadata),
    ...(thread.branchedFrom && { branchedFrom: { ...thread.branchedFrom } }),
  };
}

function asJson(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  try {
    return JSON.parse(JSON.stringify(metadata)) as Record<string, unknown>;
  } catch (cause) {
    throw new SingletreeError('invalid_argument', `The metadata cannot be written as JSON: ${String(cause)}.`, {
      cause,
    });
  }
}

/**
 * Orders threads as a listing shows them: newest first by `updatedAt`, then by the code points of the id; negative
 * when `a` comes first.
 */
export function nextInListing(a: Thread, b: Thread): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}
