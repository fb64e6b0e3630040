import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { olderPrefixes, readOlderNotes } from '../older-notes.ts';
import { openChanges } from '../open-things.ts';
import type { Client } from './driver.ts';
import { openLines } from './open-functions.ts';

/**
 * Moves what older versions noted in the metadata of threads to the log and the index: runs that were requested and
 * messages that wait get their events, relays that were asked a row. What has ended or was answered is only removed from
 * the metadata.
 */
export async function moveNotes(client: Client, s: string): Promise<void> {
  const isNote = olderPrefixes.map(prefix => `starts_with(m.name, '"${prefix}')`).join(' OR ');
  const { rows } = await client.query<{ key: string; seq: string; newest_ms: number | null; notes: string }>(
    `SELECT t.key, t.seq, t.newest_ms, string_agg(m.name || ':' || m.value, ',' ORDER BY m.position) AS notes
     FROM ${s}.metadata m JOIN ${s}.threads t ON t.key = m.thread WHERE ${isNote} GROUP BY t.key`,
  );
  for (const { key, seq: newest, newest_ms, notes } of rows) {
    const findNewest = async (type: string, field = '', id?: string) => {
      const found = await client.query<{ seq: string; body: string }>(
        `SELECT seq, body FROM ${s}.events WHERE thread = $1 AND strpos(body, $2) > 0 AND strpos(body, $3) > 0 ORDER BY seq DESC LIMIT 1`,
        [key, `"type":"${type}"`, id === undefined ? field : `"${field}":${JSON.stringify(id)}`],
      );
      return found.rows[0];
    };
    const change = (changes: string | null, before: number) =>
      client.query(`SELECT ${s}.change_open($1, $2, $3)`, [key, before, changes]);
    const started = JSON.parse((await findNewest('harness_start'))?.body ?? '{}') as { agentId?: string };
    const metadata = JSON.parse(`{${notes}}`) as Record<string, unknown>;
    const { runs, relays, messages } = readOlderNotes(metadata, started.agentId);
    for (const { id, ...run } of relays) {
      const asked = await findNewest('relay', 'id', id);
      if (asked === undefined || (await findNewest('relay_resolved', 'relayId', id)) !== undefined) continue;
      const opened = [{ kind: 'relay' as const, id, ...run, seq: Number(asked.seq) }];
      await change(openLines({ closed: [], ended: [], opened }, { base: 0 }), 0);
    }
    let seq = Number(newest);
    const add = async (event: AgentEvent, owner?: string) => {
      const ms = Math.max(Date.now(), newest_ms ?? 0);
      const stored: LoggedEvent = { ...event, seq: ++seq, ts: new Date(ms).toISOString() };
      await client.query(`INSERT INTO ${s}.backlog (thread, after) VALUES ($1, $2) ON CONFLICT (thread) DO NOTHING`, [
        key,
        seq - 1,
      ]);
      const body = JSON.stringify(stored);
      await client.query(`INSERT INTO ${s}.events (thread, seq, body) VALUES ($1, $2, $3)`, [key, seq, body]);
      const times = [key, seq, stored.ts, ms];
      await client.query(`UPDATE ${s}.threads SET seq = $2, newest_ts = $3, newest_ms = $4 WHERE key = $1`, times);
      await change(openLines(openChanges([stored]), { base: 0, owner }), 0);
    };
    for (const { owner, ...run } of runs)
      if ((await findNewest('harness_end', 'runId', run.runId)) === undefined) await add(run, owner);
    for (const message of messages) await add(message);
  }
  await client.query(`DELETE FROM ${s}.metadata m WHERE ${isNote}`);
  for (const what of ['open_runs', 'relays', 'follow_ups']) await client.query(`DROP INDEX ${s}.metadata_of_${what}`);
}
