import { usageNames } from '../../events/usage-sum.ts';
import type { MessageRow } from '../derived/message-rows.ts';
import { toReadableJson } from './readable-json.ts';

const usageColumns = [
  'input_tokens',
  'output_tokens',
  'cache_read_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  'cost',
] as const;

/** The columns written when a message is complete; other updates keep their values. */
const completed = ['model', 'author', 'text', 'reason', ...usageColumns, 'last_seq', 'completed'] as const;

/** Tables of messages are derived from events; the older functions that wrote them in each append go. */
export function derivedMessageTables(s: string): string {
  return `
DROP FUNCTION IF EXISTS ${s}.append_events(
  text, text, bigint, uuid, boolean, bigint, text, text, bigint, text, text, boolean, jsonb, double precision,
  double precision, text, timestamptz, text, text, jsonb
);
DROP FUNCTION IF EXISTS ${s}.project_messages(bigint, bigint, jsonb);
DROP FUNCTION IF EXISTS ${s}.complete_message(bigint, jsonb, bigint);
DROP FUNCTION IF EXISTS ${s}.add_message(bigint, ${s}.messages, text);
DROP FUNCTION IF EXISTS ${s}.is_after(bigint, text, text);
DROP FUNCTION IF EXISTS ${s}.find_tip(bigint, text);
DROP FUNCTION IF EXISTS ${s}.message_named(bigint, text);
DROP FUNCTION IF EXISTS ${s}.lineage(bigint);
DROP FUNCTION IF EXISTS ${s}.store_derived(bigint, bigint, bigint, text, text[], jsonb, jsonb, jsonb);
DROP TABLE IF EXISTS ${s}.selections;
ALTER TABLE ${s}.threads DROP COLUMN IF EXISTS tip;
-- The tree of a thread's messages up to a seq, to continue from.
CREATE TABLE IF NOT EXISTS ${s}.message_trees (
  thread bigint PRIMARY KEY,
  seq bigint NOT NULL,
  body text NOT NULL
);
DROP INDEX IF EXISTS ${s}.messages_by_run, ${s}.messages_by_parent, ${s}.messages_by_answer;
TRUNCATE ${s}.messages;
INSERT INTO ${s}.backlog (thread, after) SELECT key, seq FROM ${s}.threads ORDER BY key ON CONFLICT (thread) DO NOTHING;
COMMENT ON VIEW ${s}.thread_messages IS
  'The messages of each thread: those that people and agents added to it, one row for a message of a person and for a run of an agent. Derived from the events within about half a second after an append. A message that a branch shares is a row of the thread it was added to.';`;
}

/** The functions that store rows of messages, new ones and what changed of others, and that check and repair them. */
export function messageFunctions(s: string): string {
  const placed = ['parent_message_id', 'spawned_by', 'answers', 'agent_id'] as const;
  const columns = ['id', 'role', 'run_id', ...placed, ...completed, 'first_seq', 'created'];
  const typeOf = (name: string) => {
    if (name.endsWith('_seq')) return 'bigint';
    if (name === 'created' || name === 'completed') return 'timestamptz';
    return (usageColumns as readonly string[]).includes(name) ? 'double precision' : 'text';
  };
  const rows = `jsonb_to_recordset(p_rows) AS r (${columns.map(name => `${name} ${typeOf(name)}`).join(', ')})`;
  return `
CREATE OR REPLACE FUNCTION ${s}.store_messages(p_thread bigint, p_rows jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ${s}.messages AS m (thread, ${columns.join(', ')}) SELECT p_thread, r.* FROM ${rows}
  ON CONFLICT (thread, id) DO UPDATE SET
    ${placed.map(name => `${name} = excluded.${name}`).join(', ')},
    ${completed.map(name => `${name} = coalesce(excluded.${name}, m.${name})`).join(', ')};
$$;

-- Whether the messages of a thread are those that its events say until p_seq; also true when it has grown since.
CREATE OR REPLACE FUNCTION ${s}.check_messages(p_thread bigint, p_seq bigint, p_rows jsonb, p_rebuild boolean)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM 1 FROM ${s}.threads t WHERE t.key = p_thread AND (t.id IS NULL OR t.seq = p_seq)
    AND NOT EXISTS (SELECT 1 FROM ${s}.backlog b WHERE b.thread = t.key) FOR UPDATE;
  IF NOT FOUND THEN RETURN true; END IF;
  IF NOT EXISTS (
    WITH expected AS (SELECT r.* FROM ${rows}),
      found AS (SELECT ${columns.join(', ')} FROM ${s}.messages WHERE thread = p_thread)
    (TABLE found EXCEPT TABLE expected) UNION ALL (TABLE expected EXCEPT TABLE found)
  ) THEN RETURN true; END IF;
  IF p_rebuild THEN
    DELETE FROM ${s}.messages WHERE thread = p_thread;
    PERFORM ${s}.store_messages(p_thread, p_rows);
  END IF;
  RETURN false;
END $$;`;
}

/** Rows as the function takes them. */
export function messageLines(rows: readonly MessageRow[]): string {
  return toReadableJson(rows.map(toColumns));
}

function toColumns({ completion, ...row }: MessageRow): Record<string, string | number | undefined> {
  const { usage } = completion ?? {};
  const counts = usage && Object.fromEntries(usageNames.map((name, index) => [usageColumns[index], usage[name]]));
  return {
    id: row.id,
    role: row.role,
    run_id: row.runId,
    parent_message_id: row.parentMessageId,
    spawned_by: row.spawnedBy,
    answers: row.answers,
    agent_id: row.agentId,
    model: completion?.model ?? row.model,
    author: completion?.author,
    text: completion?.text,
    reason: completion?.reason,
    ...counts,
    first_seq: row.firstSeq,
    last_seq: completion?.lastSeq,
    created: row.created,
    completed: completion?.completed,
  };
}
