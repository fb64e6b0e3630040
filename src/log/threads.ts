import { SingletreeError } from '../base/singletree-error.ts';
import type { Thread } from './event-log.ts';

/** Metadata with a change merged in, as JSON holds it, in a copy; a key set to null is removed. */
export function mergeMetadata(
  metadata: Readonly<Record<string, unknown>>,
  change: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  // Keys come and go with runs: without a prototype it is a dictionary from the start, which is made for that.
  const merged: Record<string, unknown> = Object.assign(Object.create(null), metadata);
  for (const [key, value] of Object.entries(change)) {
    const text = metadataText(value);
    if (text === 'null') delete merged[key];
    else if (text !== undefined) merged[key] = JSON.parse(text);
  }
  return merged;
}

/** Copies the title and metadata of a thread; throws `invalid_argument` when the metadata cannot be written as JSON. */
export function copyNames<Names extends { readonly metadata?: Record<string, unknown> }>(names: Names): Names {
  return names.metadata === undefined ? { ...names } : { ...names, metadata: copyMetadata(names.metadata) };
}

/** Metadata as JSON holds it, in a copy; throws `invalid_argument` when it has none. */
export function copyMetadata(metadata: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return JSON.parse(metadataText(metadata) ?? '{}') as Record<string, unknown>;
}

/** A thread that shares nothing with the one it is a copy of. */
export function copyThread(thread: Thread): Thread {
  return {
    ...thread,
    metadata: copyMetadata(thread.metadata),
    ...(thread.branchedFrom && { branchedFrom: { ...thread.branchedFrom } }),
    ...(thread.open && { open: structuredClone(thread.open) }),
  };
}

/** A value of the metadata as JSON; throws `invalid_argument` when it has none. */
export function metadataText(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    throw new SingletreeError('invalid_argument', `The metadata cannot be written as JSON: ${String(cause)}.`, {
      cause,
    });
  }
}

/**
 * Orders threads as a listing shows them: newest first by `updatedAt`, then by the code points of the id, the highest
 * first; negative when `a` comes first.
 */
export function nextInListing(a: Thread, b: Thread): number {
  if (a.updatedAt !== b.updatedAt) return a.updatedAt < b.updatedAt ? 1 : -1;
  return Buffer.compare(Buffer.from(b.id), Buffer.from(a.id));
}
