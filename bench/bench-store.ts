import type { AgentEvent } from 'singletree/events';
import { type EventLog, openStore } from 'singletree/log';
import { bareMemory, barePostgres, bareSqlite } from './peers/bare-stores.ts';

export type OnEvent = (event: AgentEvent & { readonly seq: number }) => void;

/** A store under test: ours, or the least that does the same. */
export interface BenchStore {
  /** Begins a new, empty thread: what is appended from now on goes there. */
  begin(): Promise<void>;
  append(events: readonly AgentEvent[]): Promise<unknown>;
  /** Calls back with each event that is appended from now on to the newest thread, by whatever process. */
  follow(onEvent: OnEvent): Promise<void>;
  close(): Promise<void>;
}

export type StoreKind = 'memory' | 'SQLite' | 'PostgreSQL' | 'PostgreSQL + Redis';

/** Which store to open; it can be sent to another process. */
export interface StorePlan {
  readonly who: 'ours' | 'bare';
  readonly kind: StoreKind;
  /** The file, or the URL of the database. */
  readonly place: string;
  readonly redis?: string;
  /** The bare peer notifies those who follow; ours always does. */
  readonly isFollowed?: boolean;
  /** The thread to follow; a new one when absent. */
  readonly threadId?: string;
}

/** Opens a store; those of one place share their events. */
export async function openBenchStore(plan: StorePlan): Promise<BenchStore & { threadId(): string }> {
  if (plan.who === 'ours') return ours(plan);
  return { ...(await bare(plan)), threadId: () => '' };
}

async function bare({ kind, place, redis = '', isFollowed = false }: StorePlan): Promise<BenchStore> {
  if (kind === 'memory') return bareMemory();
  if (kind === 'SQLite') return bareSqlite(place);
  if (kind === 'PostgreSQL + Redis') return barePostgres({ url: place, name: 'bare_streamed', news: { redis } });
  const news = isFollowed ? 'notify' : 'none';
  return barePostgres({ url: place, name: `bare_${news}`, news });
}

async function ours({ kind, place, redis, threadId }: StorePlan): Promise<BenchStore & { threadId(): string }> {
  const url = kind === 'memory' ? 'memory:' : kind === 'SQLite' ? `file:${place}` : place;
  const open = () => openStore(url, kind === 'PostgreSQL + Redis' ? { live: redis } : {});
  const log = await open();
  const logs = [log];
  let id = threadId ?? (await log.createThread()).id;
  return {
    threadId: () => id,
    begin: async () => void (id = (await log.createThread()).id),
    append: events => log.append(id, events),
    follow: async onEvent => {
      // Another server: only memory has none.
      const reader = kind === 'memory' || threadId !== undefined ? log : await open();
      if (reader !== log) logs.push(reader);
      await following(reader, id, onEvent);
    },
    close: async () => {
      for (const each of logs.toReversed()) await each.close();
    },
  };
}

/** Follows a thread from now on: what is appended before its tail is live is read from the store. */
async function following(log: EventLog, id: string, onEvent: OnEvent): Promise<void> {
  const tail = log.tail(id, (await log.getThread(id))?.seq ?? 0);
  void (async () => {
    for await (const event of tail) onEvent(event);
  })();
}
