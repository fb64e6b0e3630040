import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Database from 'libsql';

type Row = Record<string, unknown>;

interface Export {
  readonly info: { readonly id: string };
  readonly messages: readonly { readonly info: Row; readonly parts: readonly Row[] }[];
}

/** Makes the database of a program from what was recorded of it; undefined for a program that has none. */
export function makeDatabase(
  agentId: string,
  recorded: string,
  folder: string,
  condensed?: string,
): string | undefined {
  const path = join(folder, `${agentId}.db`);
  const read = (name: string) => JSON.parse(readFileSync(join(recorded, name), 'utf8')) as unknown;
  if (agentId === 'goose') {
    const tables = read('db-rows.json') as Record<string, Row[]>;
    const rows = condensed === undefined ? undefined : (read(condensed) as Row[]);
    const sessionId = tables['sessions']?.[0]?.['id'];
    const messages = rows?.map(row => ({ ...row, session_id: sessionId, created_timestamp: 1_794_847_721 }));
    writeTables(path, { ...tables, ...(messages && { messages }) });
    return path;
  }
  if (agentId !== 'opencode' && agentId !== 'kilo') return undefined;
  const { session = [] } = read('db-rows.json') as Record<string, Row[]>;
  writeExport(path, session, read('export.json') as Export);
  return path;
}

/** Makes the database of a program from a document as the program imports it; undefined for a program that has none. */
export function importDocument(agentId: string, document: Row, folder: string): string | undefined {
  const path = join(folder, `${agentId}.db`);
  if (agentId === 'goose') {
    const { id, name, working_dir, created_at, updated_at, conversation } = document;
    const session = { id, name, description: name, working_dir, created_at, updated_at, parent_session_id: null };
    const messages = (conversation as Row[]).map((message, index) => ({
      id: index + 1,
      message_id: message['id'],
      session_id: id,
      role: message['role'],
      content_json: JSON.stringify(message['content']),
      created_timestamp: message['created'],
      metadata_json: JSON.stringify(message['metadata']),
    }));
    writeTables(path, { sessions: [session], messages });
    return path;
  }
  if (agentId !== 'opencode' && agentId !== 'kilo') return undefined;
  const { id, title, time } = document['info'] as Row;
  const { created, updated } = time as Row;
  const session = { id, title, directory: '/project', time_created: created, time_updated: updated, parent_id: null };
  writeExport(path, [session], document as unknown as Export);
  return path;
}

function writeExport(path: string, session: Row[], { info, messages }: Export): void {
  const time = (row: Row) => (row['time'] as { created?: number } | undefined)?.created ?? 0;
  const ids: readonly string[] = ['id', 'sessionID', 'messageID'];
  const rest = (row: Row) =>
    JSON.stringify(Object.fromEntries(Object.entries(row).filter(([name]) => !ids.includes(name))));
  writeTables(path, {
    session,
    message: messages.map(each => ({
      id: each.info['id'],
      session_id: info.id,
      time_created: time(each.info),
      time_updated: time(each.info),
      data: rest(each.info),
    })),
    part: messages.flatMap(each =>
      each.parts.map(part => ({
        id: part['id'],
        message_id: each.info['id'],
        session_id: info.id,
        time_created: time(each.info),
        time_updated: time(each.info),
        data: rest(part),
      })),
    ),
  });
}

/** Writes tables to a database whose newest rows are in its write-ahead log, as those of a program that runs. */
function writeTables(path: string, tables: Record<string, Row[]>): void {
  const Connection = createRequire(import.meta.url)('libsql') as typeof Database;
  const db = new Connection(path);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0');
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {});
    db.exec(`CREATE TABLE ${table} (${columns.map(column => `"${column}"`).join(', ')})`);
    const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`);
    for (const row of rows) insert.run(...columns.map(column => row[column] ?? null));
  }
  open.push(db);
}

/** Connections stay open: the last one to close would move the write-ahead log into the database. */
const open: unknown[] = [];
