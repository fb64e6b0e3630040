import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { timeText } from '../event-time.ts';
import { olderPrefixes, readOlderNotes } from '../older-notes.ts';
import { openChanges } from '../open-things.ts';
import { command, type Connection, lowest32, toPosition, query } from './statement.ts';
import { OpenTable } from './open-table.ts';
import { parseInfo, type ThreadInfo } from './stored-info.ts';
import { asBytes, asNumber, jsonIn, textIn } from './stored-text.ts';

/**
 * Moves what older versions noted in the metadata of threads to the log and the index: runs that were requested and
 * messages that wait get their events, relays that were asked a row. What has ended or was answered is only removed from
 * the metadata. A thread that is damaged stays as it is.
 */
export function moveNotes(db: Connection): void {
  const inThread = `position BETWEEN ${toPosition('?1', '0')} AND ${toPosition('?1', String(lowest32))}`;
  const isNoted = olderPrefixes.map(prefix => `instr(info, '"${prefix}') > 0`).join(' OR ');
  const noted = query(
    db,
    `SELECT ${asNumber('key')}, ${asNumber('fork')}, ${asBytes('info')}, ${asBytes('updated')} FROM threads WHERE hidden = 0 AND (${isNoted})`,
  );
  const newest = query(db, `SELECT ${asNumber(`max(position) & ${lowest32}`)} FROM events WHERE ${inThread}`);
  const find = query(
    db,
    `SELECT ${asNumber(`position & ${lowest32}`)}, ${asBytes('body')} FROM events WHERE ${inThread} AND instr(body, ?2) > 0 AND instr(body, ?3) > 0 ORDER BY position DESC LIMIT 1`,
  );
  const append = command(db, `INSERT INTO events (position, body) VALUES (${toPosition('?', '?')}, ?)`);
  const mark = command(db, 'INSERT OR IGNORE INTO backlog (thread, after) VALUES (?, ?)');
  const setInfo = command(db, 'UPDATE threads SET info = ? WHERE key = ?');
  const open = new OpenTable(db);
  const now = timeText(Date.now());

  const moveThread = (key: number, newestSeq: number, { updated, info }: { updated: string; info: ThreadInfo }) => {
    const findNewest = (type: string, field = '', id?: string) =>
      find.get(key, `"type":"${type}"`, id === undefined ? field : `"${field}":${JSON.stringify(id)}`) as
        | [seq: number, body: unknown]
        | undefined;
    const started = jsonIn(textIn(findNewest('harness_start')?.[1])) as { agentId?: string } | undefined;
    const { runs, relays, messages } = readOlderNotes(info.metadata, started?.agentId);
    for (const { id, ...run } of relays) {
      const asked = findNewest('relay', 'id', id);
      if (asked !== undefined && findNewest('relay_resolved', 'relayId', id) === undefined)
        open.change(key, { closed: [], ended: [], opened: [{ kind: 'relay', id, ...run, seq: asked[0] }] });
    }
    let seq = newestSeq;
    const add = (event: AgentEvent, owner?: string) => {
      mark.run(key, seq);
      const stored: LoggedEvent = { ...event, seq: ++seq, ts: updated > now ? updated : now };
      append.run(key, seq, JSON.stringify(stored));
      const changes = openChanges([stored]);
      if (changes !== undefined) open.change(key, changes, owner);
    };
    for (const { owner, ...run } of runs)
      if (findNewest('harness_end', 'runId', run.runId) === undefined) add(run, owner);
    for (const message of messages) add(message);
    const isNote = (name: string) => olderPrefixes.some(prefix => name.startsWith(prefix));
    const metadata = Object.fromEntries(Object.entries(info.metadata).filter(([name]) => !isNote(name)));
    setInfo.run(JSON.stringify({ ...info, metadata }), key);
  };

  for (const [key, fork, info, updated] of noted.all() as [number, number, unknown, unknown][]) {
    let known: ThreadInfo;
    try {
      known = parseInfo(String(key), textIn(info) ?? '');
    } catch {
      continue; // A damaged thread stays as it is: opening it reports it.
    }
    const newestSeq = (newest.get(key) as [number | null])[0] ?? fork;
    moveThread(key, newestSeq, { updated: textIn(updated) ?? now, info: known });
  }
}
