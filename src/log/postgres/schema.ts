import type { Client } from './driver.ts';
import { SingletreeError } from '../../base/singletree-error.ts';
import { appendFunctions } from './append-functions.ts';
import type { Connections } from './connections.ts';
import { contentFunctions, contentTables } from './content-functions.ts';
import { derivedFunctions, derivedTables, usageOfThreadsAndTools } from './derived-functions.ts';
import { openFunctions, openTables } from './open-functions.ts';
import { moveNotes } from './move-notes.ts';
import { derivedMessageTables, messageFunctions } from './message-functions.ts';
import { threadFunctions } from './thread-functions.ts';

/** Each entry moves the tables of a schema one version forward; entries are never changed, only added. */
const migrations: readonly ((schema: string) => string | ((client: Client) => Promise<void>))[] = [
  s => `
CREATE TABLE ${s}.threads (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Null when the thread was deleted: its row is kept while branches refer to its events.
  id text COLLATE "C" UNIQUE,
  -- The call that created it.
  made uuid NOT NULL,
  resource text COLLATE "C" NOT NULL,
  -- As JSON.
  title text,
  seq bigint NOT NULL,
  imported bigint,
  owner bigint REFERENCES ${s}.threads (key),
  fork bigint NOT NULL,
  from_thread text,
  from_seq bigint,
  -- The last message of its active branch, empty when it has none; null when that is to be looked up.
  tip text,
  -- The time of its newest event, as the event has it and in milliseconds.
  newest_ts text,
  newest_ms double precision,
  created timestamptz(3) NOT NULL,
  updated timestamptz(3) NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX threads_by_update ON ${s}.threads (updated, id) WHERE id IS NOT NULL;
CREATE INDEX threads_by_resource ON ${s}.threads (resource, updated, id) WHERE id IS NOT NULL;
CREATE INDEX threads_by_owner ON ${s}.threads (owner, fork) WHERE owner IS NOT NULL;
CREATE INDEX threads_deleted ON ${s}.threads (key) WHERE id IS NULL;
CREATE TABLE ${s}.metadata (
  thread bigint NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  -- Of the name, which may be longer than an index allows.
  hash bytea NOT NULL,
  -- Name and value as JSON.
  name text COLLATE "C" NOT NULL,
  value text NOT NULL,
  PRIMARY KEY (thread, hash)
);
CREATE INDEX metadata_of_open_runs ON ${s}.metadata (thread) WHERE starts_with(name, '"run:');
CREATE INDEX metadata_of_relays ON ${s}.metadata (thread) WHERE starts_with(name, '"relay:');
CREATE INDEX metadata_of_follow_ups ON ${s}.metadata (thread) WHERE starts_with(name, '"follow-up:');
CREATE TABLE ${s}.events (
  thread bigint NOT NULL,
  seq bigint NOT NULL,
  -- The append that it was the last event of.
  append uuid,
  body text NOT NULL,
  PRIMARY KEY (thread, seq)
);
CREATE UNIQUE INDEX events_by_append ON ${s}.events (append) WHERE append IS NOT NULL;
CREATE TABLE ${s}.once (
  thread bigint NOT NULL,
  key text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  append uuid NOT NULL,
  PRIMARY KEY (thread, key)
);
CREATE TABLE ${s}.leases (
  name text COLLATE "C" PRIMARY KEY,
  owner text NOT NULL,
  token bigint NOT NULL,
  expires timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE ${s}.raw_lines (
  thread bigint NOT NULL,
  run text COLLATE "C" NOT NULL,
  n bigint NOT NULL,
  ts text NOT NULL,
  stream text NOT NULL,
  line bytea NOT NULL,
  PRIMARY KEY (thread, run, n)
);
CREATE TABLE ${s}.messages (
  thread bigint NOT NULL,
  id text COLLATE "C" NOT NULL,
  parent_message_id text COLLATE "C",
  -- What started the run of a subagent; such a message has no parent.
  spawned_by text,
  -- The user message that its run answers.
  answers text,
  role text NOT NULL,
  author text,
  run_id text COLLATE "C" NOT NULL,
  agent_id text,
  model text,
  -- Null until the message is complete.
  text text,
  reason text,
  input_tokens double precision,
  output_tokens double precision,
  cache_read_tokens double precision,
  cache_write_tokens double precision,
  reasoning_tokens double precision,
  cost double precision,
  first_seq bigint NOT NULL,
  last_seq bigint,
  created timestamptz(3) NOT NULL,
  completed timestamptz(3),
  PRIMARY KEY (thread, id)
);
CREATE INDEX messages_by_run ON ${s}.messages (thread, run_id);
CREATE INDEX messages_by_parent ON ${s}.messages (thread, coalesce(parent_message_id, '')) WHERE spawned_by IS NULL;
CREATE INDEX messages_by_answer ON ${s}.messages (thread, answers) WHERE answers IS NOT NULL;
-- Messages that somebody chose among those with the same parent; otherwise the newest one is active.
CREATE TABLE ${s}.selections (
  thread bigint NOT NULL,
  message text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (thread, message, seq)
);
CREATE VIEW ${s}.thread_messages AS
  SELECT t.id AS thread_id, t.resource AS resource_id, m.* FROM ${s}.messages m JOIN ${s}.threads t ON t.key = m.thread
  WHERE t.id IS NOT NULL;`,
  derivedTables,
  contentTables,
  // Only functions are new.
  () => '',
  openTables,
  s => async client => {
    await client.query(openFunctions(s));
    await moveNotes(client, s);
  },
  // Only functions are new.
  () => '',
  // Only functions are new.
  () => '',
  usageOfThreadsAndTools,
  derivedMessageTables,
];

/** The table that marks a schema as that of a log. */
const versionTable = 'singletree_log';

/** The schema this version writes. */
export const schemaVersion: number = migrations.length;

/**
 * Creates the tables or moves them forward, in one transaction; of several processes one does it and the others wait.
 * Throws `log_newer` or `log_foreign`, and changes nothing then.
 */
export async function migrate(connections: Connections, schema: string, waitMs: number): Promise<void> {
  const { place } = connections;
  await connections.use(async client => {
    if ((await versionIn(client, place, schema)) === schemaVersion) return;
    await client.query('BEGIN');
    try {
      await client.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`singletree ${schema}`]);
      const from = await versionIn(client, place, schema);
      if (from < schemaVersion) await moveForward(client, schema, from);
      await client.query('COMMIT');
    } catch (error) {
      // The first error is the one to report.
      await client.query('ROLLBACK').catch(() => {});
      throw error;
    }
  }, waitMs);
}

async function moveForward(client: Client, schema: string, from: number): Promise<void> {
  if (from === 0) {
    await client.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await client.query(`CREATE TABLE ${schema}.${versionTable} (version integer NOT NULL)`);
    await client.query(`INSERT INTO ${schema}.${versionTable} VALUES (0)`);
  }
  for (const migration of migrations.slice(from)) {
    const step = migration(schema);
    await (typeof step === 'string' ? client.query(step) : step(client));
  }
  for (const functions of [
    contentFunctions,
    messageFunctions,
    openFunctions,
    threadFunctions,
    derivedFunctions,
    appendFunctions,
  ])
    await client.query(functions(schema));
  await client.query(`UPDATE ${schema}.${versionTable} SET version = ${schemaVersion}`);
}

/** The version of the tables in a schema; 0 when it has none. */
async function versionIn(client: Client, place: string, schema: string): Promise<number> {
  // Read from the catalog itself: functions that look names up may miss what another process has just created.
  const { rows } = await client.query<{ encoding: string; tables: string[] }>(
    `SELECT current_setting('server_encoding') AS encoding, ARRAY(
       SELECT c.relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'
     ) AS tables`,
    [schema],
  );
  const { encoding = '', tables = [] } = rows[0] ?? {};
  if (encoding !== 'UTF8')
    throw new SingletreeError(
      'log_foreign',
      `The database ${place} has the encoding ${encoding}: nothing was changed. Create one with the encoding UTF8.`,
      { details: { place } },
    );
  if (!tables.includes(versionTable)) {
    if (!tables.includes('threads')) return 0;
    throw new SingletreeError(
      'log_foreign',
      `The schema "${schema}" of the database ${place} has tables that are not those of a Singletree log: nothing was changed. Choose another schema.`,
      { details: { place, schema } },
    );
  }
  const { rows: versions } = await client.query<{ version: number }>(`SELECT version FROM ${schema}.${versionTable}`);
  const version = versions[0]?.version ?? 0;
  if (version > schemaVersion)
    throw new SingletreeError(
      'log_newer',
      `The schema "${schema}" of the database ${place} was written by a newer version (schema ${version}, this one reads up to ${schemaVersion}): nothing was changed. Update singletree.`,
      { details: { place, schema, version, known: schemaVersion } },
    );
  return version;
}
