import { moveNotes } from './move-notes.ts';
import { type Connection, query } from './statement.ts';
import { Transaction } from './transaction.ts';

/** Marks a SQLite file as a Singletree log ("Sgtr"). */
export const applicationId = 0x53677472;

/**
 * Each entry moves the schema one version forward; entries are never changed, only added.
 *
 * Events and raw lines are in the order of one number, the key of their thread or run in its upper 31 bits and their
 * seq or n in its lower 32: SQLite keeps rows of up to a page whole in such a table, and one lookup finds them.
 */
const migrations: readonly (string | ((db: Connection) => void))[] = [
  `CREATE TABLE log.threads (
     key INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     resource TEXT NOT NULL,
     info TEXT NOT NULL,
     created TEXT NOT NULL,
     updated TEXT NOT NULL,
     owner INTEGER REFERENCES threads (key),
     fork INTEGER NOT NULL,
     hidden INTEGER NOT NULL DEFAULT 0
   );
   CREATE INDEX log.threads_by_resource ON threads (resource, updated DESC, id);
   CREATE INDEX log.threads_by_update ON threads (updated DESC, id);
   CREATE INDEX log.threads_by_owner ON threads (owner);
   CREATE TABLE log.events (
     thread INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (thread, seq)
   ) WITHOUT ROWID;
   CREATE TABLE log.once (
     thread INTEGER NOT NULL,
     key TEXT NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (thread, key)
   ) WITHOUT ROWID;`,
  `CREATE TABLE log.leases (
     name TEXT PRIMARY KEY,
     owner TEXT NOT NULL,
     token INTEGER NOT NULL,
     expires TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE log.raw_lines (
     thread INTEGER NOT NULL,
     run TEXT NOT NULL,
     n INTEGER NOT NULL,
     ts TEXT NOT NULL,
     stream TEXT NOT NULL,
     line BLOB NOT NULL,
     PRIMARY KEY (thread, run, n)
   ) WITHOUT ROWID;`,
  `DROP INDEX threads_by_resource;
   DROP INDEX threads_by_update;
   CREATE INDEX log.threads_by_resource ON threads (resource, updated DESC, id DESC);
   CREATE INDEX log.threads_by_update ON threads (updated DESC, id DESC);`,
  `CREATE INDEX log.threads_with_open_runs ON threads (updated DESC, id DESC) WHERE instr(info, '"run:') > 0;`,
  'ALTER TABLE threads ADD COLUMN imported INTEGER;',
  `ALTER TABLE events RENAME TO events_before;
   CREATE TABLE log.events (position INTEGER PRIMARY KEY, body TEXT NOT NULL);
   INSERT INTO events SELECT thread << 32 | seq, body FROM events_before ORDER BY thread, seq;
   DROP TABLE events_before;
   ALTER TABLE raw_lines RENAME TO raw_lines_before;
   CREATE TABLE log.raw_runs (
     key INTEGER PRIMARY KEY,
     thread INTEGER NOT NULL,
     run TEXT NOT NULL,
     UNIQUE (thread, run)
   );
   CREATE TABLE log.raw_lines (position INTEGER PRIMARY KEY, ts TEXT NOT NULL, stream TEXT NOT NULL, line BLOB NOT NULL);
   INSERT INTO raw_runs (thread, run) SELECT DISTINCT thread, run FROM raw_lines_before;
   INSERT INTO raw_lines SELECT raw_runs.key << 32 | n, ts, stream, line
     FROM raw_runs JOIN raw_lines_before USING (thread, run) ORDER BY 1;
   DROP TABLE raw_lines_before;
   CREATE INDEX log.threads_hidden ON threads (key) WHERE hidden = 1;`,
  `CREATE INDEX log.threads_with_pending_relays ON threads (updated DESC, id DESC) WHERE instr(info, '"relay:') > 0;
   CREATE INDEX log.threads_with_follow_ups ON threads (updated DESC, id DESC) WHERE instr(info, '"follow-up:') > 0;`,
  `ALTER TABLE leases ADD COLUMN until REAL NOT NULL DEFAULT 0;
   ALTER TABLE leases ADD COLUMN ttl REAL NOT NULL DEFAULT 0;`,
  `CREATE TABLE log.outlines (position INTEGER PRIMARY KEY, body TEXT NOT NULL);
   CREATE TABLE log.messages (
     thread INTEGER NOT NULL,
     id TEXT NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (thread, id)
   ) WITHOUT ROWID;
   CREATE TABLE log.texts (
     key INTEGER PRIMARY KEY AUTOINCREMENT,
     thread INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     last INTEGER NOT NULL,
     message TEXT NOT NULL
   );
   CREATE INDEX log.texts_by_thread ON texts (thread, last);
   CREATE VIRTUAL TABLE log.words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = "ascii tokenchars '_'");
   INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
   CREATE TABLE log.used (
     resource TEXT NOT NULL,
     day TEXT NOT NULL,
     agent TEXT NOT NULL,
     model TEXT NOT NULL,
     calls INTEGER NOT NULL,
     input INTEGER,
     output INTEGER,
     cache_read INTEGER,
     cache_write INTEGER,
     reasoning INTEGER,
     cost REAL,
     PRIMARY KEY (resource, day, agent, model)
   ) WITHOUT ROWID;
   CREATE TABLE log.backlog (thread INTEGER PRIMARY KEY, after INTEGER NOT NULL);
   INSERT INTO backlog SELECT key, 0 FROM threads;`,
  `ALTER TABLE backlog RENAME TO backlog_before;
   CREATE TABLE log.backlog (
     position INTEGER PRIMARY KEY AUTOINCREMENT,
     thread INTEGER NOT NULL UNIQUE,
     after INTEGER NOT NULL
   );
   INSERT INTO backlog (thread, after) SELECT thread, after FROM backlog_before ORDER BY thread;
   DROP TABLE backlog_before;`,
  `CREATE TABLE log.contents (hash TEXT PRIMARY KEY, body TEXT NOT NULL);
   CREATE TABLE log.content_references (
     position INTEGER NOT NULL,
     hash TEXT NOT NULL,
     bytes INTEGER NOT NULL,
     PRIMARY KEY (position, hash)
   ) WITHOUT ROWID;
   CREATE INDEX log.content_references_by_hash ON content_references (hash);`,
  `CREATE TABLE log.open_things (
     thread INTEGER NOT NULL,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     run TEXT,
     seq INTEGER NOT NULL,
     request TEXT,
     owner TEXT,
     PRIMARY KEY (thread, kind, id)
   ) WITHOUT ROWID;
   CREATE INDEX log.open_things_by_kind ON open_things (kind, thread);`,
  db => {
    moveNotes(db);
    for (const what of ['open_runs', 'pending_relays', 'follow_ups']) db.exec(`DROP INDEX log.threads_with_${what}`);
  },
  // Usage counted before remains, without its thread.
  `ALTER TABLE used RENAME TO used_before;
   CREATE TABLE log.used (
     resource TEXT NOT NULL,
     day TEXT NOT NULL,
     agent TEXT NOT NULL,
     model TEXT NOT NULL,
     thread TEXT NOT NULL,
     tool TEXT NOT NULL,
     calls INTEGER NOT NULL,
     input INTEGER,
     output INTEGER,
     cache_read INTEGER,
     cache_write INTEGER,
     reasoning INTEGER,
     cost REAL,
     failed INTEGER NOT NULL DEFAULT 0,
     tool_ms REAL NOT NULL DEFAULT 0,
     PRIMARY KEY (resource, day, agent, model, thread, tool)
   ) WITHOUT ROWID;
   INSERT INTO used (resource, day, agent, model, thread, tool, calls, input, output, cache_read, cache_write, reasoning, cost)
     SELECT resource, day, agent, model, '', '', calls, input, output, cache_read, cache_write, reasoning, cost FROM used_before;
   DROP TABLE used_before;`,
];

/** The schema this version writes. */
export const schemaVersion = migrations.length;

/** Moves the schema forward to `target`, one version after the other, in one transaction. */
export function migrate(db: Connection, target: number = schemaVersion): void {
  const version = () => (query(db, 'PRAGMA log.user_version').get() as [number])[0];
  if (version() >= target) return;
  new Transaction(db).run(() => {
    const from = version();
    if (from >= target) return;
    for (const migration of migrations.slice(from, target))
      if (typeof migration === 'string') db.exec(migration);
      else migration(db);
    db.exec(`PRAGMA log.application_id = ${applicationId}`);
    db.exec(`PRAGMA log.user_version = ${target}`);
  });
  try {
    // Dropped indexes leave free pages.
    db.exec('PRAGMA log.incremental_vacuum');
  } catch {
    // They are used again.
  }
}
