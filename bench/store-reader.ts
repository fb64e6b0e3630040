import { openBenchStore, type StorePlan } from './bench-store.ts';

/** What a process that follows a store is asked for. */
export interface ReaderOrder {
  readonly plan: StorePlan;
  /** How many events it waits for. */
  readonly events: number;
}

/** It reports that it follows, then what it measured. */
export type ReaderReport =
  | { readonly type: 'following' }
  | { readonly type: 'done'; readonly p50Ms: number; readonly p99Ms: number };

/**
 * Follows a store and measures how long each event took; each carries the time at which its append was called, but
 * for those that come first, while statements are prepared.
 */
async function read({ plan, events }: ReaderOrder): Promise<void> {
  const store = await openBenchStore(plan);
  const delays: number[] = [];
  let isDone = () => {};
  const done = new Promise<void>(resolve => (isDone = resolve));
  await store.follow(event => {
    if (event.type !== 'custom' || event.data === null) return;
    delays.push(performance.timeOrigin + performance.now() - Number(event.data));
    if (delays.length === events) isDone();
  });
  process.send?.({ type: 'following' } satisfies ReaderReport);
  await done;
  delays.sort((a, b) => a - b);
  const at = (share: number) => delays[Math.floor(delays.length * share)] ?? Number.NaN;
  process.send?.({ type: 'done', p50Ms: at(0.5), p99Ms: at(0.99) } satisfies ReaderReport);
  await store.close();
  process.disconnect?.();
}

process.once('message', order => void read(order as ReaderOrder));
