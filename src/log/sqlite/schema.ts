import type { Connection } from './open.ts';

/** Marks a SQLite file as a Singletree log ("Sgtr"). */
export const applicationId = 0x53677472;

/** Each entry moves the schema one version forward; entries are never changed, only added. */
const migrations = [
  `CREATE TABLE threads (
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
   CREATE INDEX threads_by_resource ON threads (resource, updated DESC, id);
   CREATE INDEX threads_by_update ON threads (updated DESC, id);
   CREATE INDEX threads_by_owner ON threads (owner);
   CREATE TABLE events (
     thread INTEGER NOT NULL,
     seq INTEGER NOT NULL,
     body TEXT NOT NULL,
     PRIMARY KEY (thread, seq)
   ) WITHOUT ROWID;
   CREATE TABLE once (
     thread INTEGER NOT NULL,
     key TEXT NOT NULL,
     seq INTEGER NOT NULL,
     PRIMARY KEY (thread, key)
   ) WITHOUT ROWID;`,
  `CREATE TABLE leases (
     name TEXT PRIMARY KEY,
     owner TEXT NOT NULL,
     token INTEGER NOT NULL,
     expires TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE raw_lines (
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
   CREATE INDEX threads_by_resource ON threads (resource, updated DESC, id DESC);
   CREATE INDEX threads_by_update ON threads (updated DESC, id DESC);`,
  `CREATE INDEX threads_with_open_runs ON threads (updated DESC, id DESC) WHERE instr(info, '"run:') > 0;`,
  'ALTER TABLE threads ADD COLUMN imported INTEGER;',
];

/** The schema this version writes. */
export const schemaVersion = migrations.length;

/** Moves the schema forward to `target`, one version after the other, in one transaction. */
export function migrate(db: Connection, target: number = schemaVersion): void {
  const version = () => (db.prepare('PRAGMA user_version').raw().get() as [number])[0];
  if (version() >= target) return;
  db.transaction(() => {
    const from = version();
    if (from >= target) return;
    for (const migration of migrations.slice(from, target)) db.exec(migration);
    db.exec(`PRAGMA application_id = ${applicationId}`);
    db.exec(`PRAGMA user_version = ${target}`);
  }).immediate();
}
