import { Redis } from 'ioredis';
import { Client } from 'pg';
import type { AgentEvent } from 'singletree/events';
import type { BenchStore, OnEvent } from '../bench-store.ts';
import { BareSqlite } from './bare-sqlite.ts';

type Numbered = AgentEvent & { readonly seq: number };

/** The JSON of events with the next numbers. */
function textsOf(events: readonly AgentEvent[], firstSeq: number): string[] {
  const ts = new Date().toISOString();
  return events.map((event, index) => JSON.stringify({ ...event, seq: firstSeq + index, ts }));
}

const parse = (text: string) => JSON.parse(text) as Numbered;

/** The least that a store in memory does: it keeps the JSON, and calls whoever follows. */
export function bareMemory(): BenchStore {
  let texts: string[] = [];
  const listeners: OnEvent[] = [];
  return {
    begin: async () => void (texts = []),
    append: async events => {
      const added = textsOf(events, texts.length + 1);
      texts.push(...added);
      for (const onEvent of listeners) for (const text of added) onEvent(parse(text));
    },
    follow: async onEvent => void listeners.push(onEvent),
    close: async () => {},
  };
}

/** Bare inserts into SQLite; whoever follows reads after each. */
export function bareSqlite(path: string): BenchStore {
  const db = new BareSqlite(path);
  let after = 0;
  let listener: OnEvent | undefined;
  return {
    begin: async () => {},
    append: async events => {
      db.append(events);
      if (listener === undefined) after += events.length;
      else
        for (const event of db.read(after, events.length)) {
          after++;
          listener(event as Numbered);
        }
    },
    follow: async onEvent => void (listener = onEvent),
    close: async () => db.close(),
  };
}

export interface BarePostgresOptions {
  readonly url: string;
  /** Its table, stream and channel. */
  readonly name: string;
  /** How others hear of it: nothing, NOTIFY, or XADD to this Redis after the insert. */
  readonly news: 'none' | 'notify' | { readonly redis: string };
}

/** Bare inserts into PostgreSQL, one statement for each append, with NOTIFY or an XADD for those who follow. */
export async function barePostgres({ url, name, news }: BarePostgresOptions): Promise<BenchStore> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(
    `CREATE TABLE IF NOT EXISTS ${name} (thread bigint, seq bigint, body text NOT NULL, PRIMARY KEY (thread, seq))`,
  );
  const redis = typeof news === 'object' ? new Redis(news.redis) : undefined;
  const open: { close(): unknown }[] = [{ close: () => redis?.disconnect() }, { close: () => client.end() }];
  const insert = `INSERT INTO ${name} SELECT $1, * FROM unnest($2::bigint[], $3::text[])`;
  const text = news === 'notify' ? `WITH added AS (${insert}) SELECT pg_notify('${name}', $1::bigint::text)` : insert;
  const { rows } = await client.query<{ newest: number }>(
    `SELECT coalesce(max(thread), 0)::int AS newest FROM ${name}`,
  );
  let thread = 1 + (rows[0]?.newest ?? 0);
  let seq = 0;
  return {
    begin: async () => {
      thread++;
      seq = 0;
    },
    append: async events => {
      const texts = textsOf(events, seq + 1);
      const seqs = texts.map((_, index) => seq + 1 + index);
      seq += texts.length;
      await client.query({ name: 'insert', text, values: [thread, seqs, texts] });
      if (redis !== undefined)
        await redis.xadd(name, 'MAXLEN', '~', 256, '*', ...texts.flatMap(each => ['event', each]));
    },
    follow: async onEvent => {
      if (typeof news === 'object') open.push(await followStream(news.redis, name, onEvent));
      else open.push(await followTable(url, name, onEvent));
    },
    close: async () => {
      for (const each of open) await each.close();
    },
  };
}

async function followStream(url: string, name: string, onEvent: OnEvent) {
  const redis = new Redis(url);
  redis.on('error', () => {});
  const [last] = await redis.xrevrange(name, '+', '-', 'COUNT', 1);
  let position = last?.[0] ?? '0-0';
  let isOpen = true;
  void (async () => {
    while (isOpen) {
      const streams = await redis.xread('COUNT', 100, 'BLOCK', 2000, 'STREAMS', name, position).catch(() => null);
      for (const [id, fields] of streams?.[0]?.[1] ?? []) {
        position = id;
        for (const [index, field] of fields.entries()) if (index % 2 === 1) onEvent(parse(field));
      }
    }
  })();
  return {
    close: () => {
      isOpen = false;
      redis.disconnect();
    },
  };
}

/** Follows the newest thread of a table: each notification is a look for what is new. */
async function followTable(url: string, name: string, onEvent: OnEvent) {
  const client = new Client({ connectionString: url });
  await client.connect();
  let isOpen = true;
  const { rows } = await client.query<{ thread: string; seq: string }>(
    `SELECT thread, seq FROM ${name} ORDER BY thread DESC, seq DESC LIMIT 1`,
  );
  let place = { thread: rows[0]?.thread ?? '0', seq: rows[0]?.seq ?? '0' };
  let looking: Promise<void> | undefined;
  let isStale = false;
  const look = async () => {
    while (isStale) {
      isStale = false;
      const found = await client.query<{ thread: string; seq: string; body: string }>({
        name: 'look',
        text: `SELECT thread, seq, body FROM ${name} WHERE (thread, seq) > ($1, $2) ORDER BY thread, seq`,
        values: [place.thread, place.seq],
      });
      for (const { thread, seq, body } of found.rows) {
        place = { thread, seq };
        onEvent(parse(body));
      }
    }
    looking = undefined;
  };
  client.on('notification', () => {
    isStale = true;
    // A look that is under way when the connection is closed fails.
    looking ??= look().catch(error => {
      if (isOpen) throw error;
    });
  });
  await client.query(`LISTEN ${name}`);
  return {
    close: () => {
      isOpen = false;
      return client.end();
    },
  };
}
