import type { ThreadInfo } from '../../../src/protocols/index.ts';

const key = 'singletree.seen';
const mostKept = 500;

interface Seen {
  /** When this browser was first used: what is older counts as seen. */
  readonly since: string;
  /** When each thread was seen last, the newest last. */
  readonly threads: Readonly<Record<string, string>>;
}

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
  if (cached !== undefined) return cached;
  try {
    const stored = JSON.parse(localStorage.getItem(key) ?? 'null') as Partial<Seen> | null;
    if (typeof stored?.since === 'string' && typeof stored.threads === 'object') return (cached = stored as Seen);
  } catch {
    // A browser without storage sees everything as read.
  }
  return write({ since: new Date().toISOString(), threads: {} });
}

function write(seen: Seen): Seen {
  cached = seen;
  try {
    localStorage.setItem(key, JSON.stringify(seen));
  } catch {
    // It applies until the page is closed.
  }
  return seen;
}
