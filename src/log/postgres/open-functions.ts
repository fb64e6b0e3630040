import type { OpenChanges, OpenThing } from '../open-things.ts';
import type { Client } from './driver.ts';

/** The index of open things. Ids are stored as JSON: an event may have any. */
export function openTables(s: string): string {
  return `
CREATE TABLE ${s}.open_things (
  thread bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  id text COLLATE "C" NOT NULL,
  run text COLLATE "C",
  seq bigint NOT NULL,
  request text,
  -- Of a run: the owner of the lease under which it was requested or resumed.
  owner text
);
CREATE INDEX open_things_by_thread ON ${s}.open_things (thread);
CREATE INDEX open_things_by_kind ON ${s}.open_things (kind, thread);
-- The functions that follow replace it by one that knows the index.
DROP FUNCTION IF EXISTS ${s}.append_events(
  text, text, bigint, uuid, boolean, bigint, text, text, bigint, text, text, boolean, jsonb, double precision,
  double precision, text, timestamptz, text, text
);`;
}

/** The function that changes the index; the thread is locked. */
export function openFunctions(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.change_open(p_key bigint, p_before bigint, p_changes jsonb) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM ${s}.open_things o USING jsonb_array_elements(p_changes->'closed') AS c
  WHERE o.thread = p_key AND o.kind = c->>0 AND o.id = c->>1;
  DELETE FROM ${s}.open_things o USING jsonb_array_elements_text(p_changes->'ended') AS c
  WHERE o.thread = p_key AND o.kind <> 'message' AND o.run = c;
  INSERT INTO ${s}.open_things (thread, kind, id, run, seq, request, owner)
  SELECT p_key, c->>0, c->>1, c->>2, p_before + (c->>3)::bigint, c->>4, CASE WHEN c->>0 = 'run' THEN p_changes->>'owner' END
  FROM jsonb_array_elements(p_changes->'opened') AS c
  WHERE NOT EXISTS (SELECT 1 FROM ${s}.open_things o WHERE o.thread = p_key AND o.kind = c->>0 AND o.id = c->>1);
  UPDATE ${s}.open_things o SET owner = p_changes->>'owner'
  WHERE o.thread = p_key AND o.kind = 'run' AND o.id = p_changes->>'resumes';
END $$;`;
}

/** Returns the index changes of an append as JSON; null when it changes nothing. */
export function openLines(
  changes: OpenChanges | undefined,
  {
    base,
    owner,
    resumes,
  }: { readonly base: number; readonly owner?: string | undefined; readonly resumes?: string | undefined },
): string | null {
  if (changes === undefined && resumes === undefined) return null;
  const text = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  const { closed = [], ended = [], opened = [] } = changes ?? {};
  return JSON.stringify({
    closed: closed.map(({ kind, id }) => [kind, text(id)]),
    ended: ended.map(text),
    opened: opened.map(({ kind, id, runId, seq, request }) => [kind, text(id), text(runId), seq - base, text(request)]),
    owner,
    resumes: text(resumes),
  });
}

/** Replaces the open things of a thread when `seq` is its newest event; returns whether it is. */
export async function replaceOpen(
  client: Client,
  s: string,
  { threadId, things, seq }: { readonly threadId: string; readonly things: readonly OpenThing[]; readonly seq: number },
): Promise<boolean> {
  await client.query('BEGIN');
  try {
    const { rows } = await client.query<{ key: string }>(
      `SELECT key FROM ${s}.threads WHERE id = $1 AND seq = $2 FOR UPDATE`,
      [threadId, seq],
    );
    const key = rows[0]?.key;
    if (key !== undefined) {
      await client.query(`DELETE FROM ${s}.open_things WHERE thread = $1`, [key]);
      for (const thing of things) {
        const change = openLines({ closed: [], ended: [], opened: [thing] }, { base: 0, owner: thing.owner });
        await client.query(`SELECT ${s}.change_open($1, 0, $2)`, [key, change]);
      }
    }
    await client.query('COMMIT');
    return key !== undefined;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {}); // A connection that is lost has rolled back.
    throw error;
  }
}
