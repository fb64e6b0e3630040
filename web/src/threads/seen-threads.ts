import * as z from 'zod';
import type { ThreadInfo } from '../../../src/protocols/http-api.ts';
import { readStored, writeStored } from '../parts/stored-value.ts';

const name = 'seen';
const mostKept = 500;
const seenThreads = z.object({
  /** When this browser was first used: what is older counts as seen. */
  since: z.string(),
  /** When each thread was seen last, the newest last. */
  threads: z.record(z.string(), z.string()),
});

type Seen = z.infer<typeof seenThreads>;

/** Notes that the person sees the newest state of a thread. */
export function markSeen({ id, updatedAt }: Pick<ThreadInfo, 'id' | 'updatedAt'>): void {
  const { since, threads } = read();
  if (threads[id] === updatedAt) return;
  const { [id]: _, ...others } = threads;
  const kept = Object.entries({ ...others, [id]: updatedAt }).slice(-mostKept);
  write({ since, threads: Object.fromEntries(kept) });
}

/** Whether a thread ended with something that the person has not seen in this browser. */
export function isUnread({ id, updatedAt, status }: ThreadInfo): boolean {
  if (status !== 'done' && status !== 'failed') return false;
  const { since, threads } = read();
  return updatedAt > (threads[id] ?? since);
}

let cached: Seen | undefined;

function read(): Seen {
  return (cached ??= readStored(name, seenThreads) ?? write({ since: new Date().toISOString(), threads: {} }));
}

function write(seen: Seen): Seen {
  cached = seen;
  writeStored(name, seen);
  return seen;
}
