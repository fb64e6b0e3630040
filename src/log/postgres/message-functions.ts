import { wholeBodyOf } from './content-functions.ts';

/**
 * The functions that keep the table of messages: a projection of the events, written in the transaction that appends
 * them. A message of a person is complete at once; that of an agent is one run, and its text is written when it ends.
 */
export function messageFunctions(s: string): string {
  return `
-- The rows that hold a thread's history, and up to which seq.
CREATE OR REPLACE FUNCTION ${s}.lineage(p_key bigint) RETURNS TABLE (key bigint, until bigint) LANGUAGE sql STABLE AS $$
  WITH RECURSIVE place AS (
    SELECT t.key, t.owner, t.fork, ${Number.MAX_SAFE_INTEGER} AS until FROM ${s}.threads t WHERE t.key = p_key
    UNION ALL
    SELECT o.key, o.owner, o.fork, least(p.until, p.fork) FROM place p JOIN ${s}.threads o ON o.key = p.owner
  ) SELECT place.key, place.until FROM place
$$;

-- The event as JSON that the database can hold: escapes of NUL and lone surrogates stand for U+FFFD. Looking for any
-- escape first is a fifth of what the pattern costs, for the many events that have none.
CREATE OR REPLACE FUNCTION ${s}.readable(p_body text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN strpos(p_body, '\\u') > 0 AND p_body ~ '\\\\u(0000|d[89a-f])'
    THEN regexp_replace(p_body, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|d[89a-f][0-9a-f]{2})', '\\1\\ufffd', 'g')
    ELSE p_body END::jsonb
$$;

-- The message of an id: its own, or that of a run or of the start of one.
CREATE OR REPLACE FUNCTION ${s}.message_named(p_key bigint, p_id text) RETURNS SETOF ${s}.messages LANGUAGE sql STABLE AS $$
  SELECT m.* FROM ${s}.lineage(p_key) l JOIN ${s}.messages m ON m.thread = l.key AND m.first_seq <= l.until
  WHERE m.id = p_id
  UNION ALL
  SELECT m.* FROM ${s}.lineage(p_key) l JOIN ${s}.messages m ON m.thread = l.key AND m.first_seq <= l.until
  WHERE m.run_id = regexp_replace(p_id, ':harness_start$', '') AND m.role = 'assistant'
  LIMIT 1
$$;

-- The last message of the active branch below a message, or below the beginning, which is empty.
CREATE OR REPLACE FUNCTION ${s}.find_tip(p_key bigint, p_from text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_tip text := p_from;
  v_next text;
BEGIN
  LOOP
    SELECT m.id INTO v_next FROM ${s}.lineage(p_key) l JOIN ${s}.messages m ON m.thread = l.key AND m.first_seq <= l.until
    WHERE coalesce(m.parent_message_id, '') = v_tip AND m.spawned_by IS NULL
    ORDER BY greatest(m.first_seq, (
      SELECT max(c.seq) FROM ${s}.lineage(p_key) k JOIN ${s}.selections c ON c.thread = k.key AND c.seq <= k.until
      WHERE c.message = m.id
    )) DESC LIMIT 1;
    IF NOT FOUND THEN RETURN v_tip; END IF;
    v_tip := v_next;
  END LOOP;
END $$;

-- Whether a message comes after another one on its branch, or is it; all come after the beginning, which is empty.
CREATE OR REPLACE FUNCTION ${s}.is_after(p_key bigint, p_id text, p_earlier text) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_id text := p_id;
BEGIN
  IF p_earlier = '' THEN RETURN true; END IF;
  WHILE v_id <> p_earlier LOOP
    SELECT m.parent_message_id INTO v_id FROM ${s}.message_named(p_key, v_id) m;
    IF v_id IS NULL THEN RETURN false; END IF;
  END LOOP;
  RETURN true;
END $$;

-- Adds a message; one whose id is taken is numbered. It is the last of the active branch if its parent is on that.
CREATE OR REPLACE FUNCTION ${s}.add_message(p_key bigint, p_message ${s}.messages, p_tip text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_id text := p_message.id;
  v_number integer := 1;
BEGIN
  WHILE EXISTS (SELECT 1 FROM ${s}.message_named(p_key, v_id) m WHERE m.id = v_id) LOOP
    v_number := v_number + 1;
    v_id := p_message.id || '#' || v_number;
  END LOOP;
  p_message.id := v_id;
  INSERT INTO ${s}.messages SELECT p_message.*;
  IF p_message.spawned_by IS NULL AND ${s}.is_after(p_key, p_tip, coalesce(p_message.parent_message_id, '')) THEN
    UPDATE ${s}.threads SET tip = v_id WHERE key = p_key;
  END IF;
END $$;

-- Completes the message of a run with the text and the usage that its events report.
CREATE OR REPLACE FUNCTION ${s}.complete_message(p_key bigint, p_mark jsonb, p_seq bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_run text := p_mark->>'run';
  v_match text := p_mark->>'match';
  v_first bigint;
  v_id text;
BEGIN
  SELECT m.id, m.first_seq INTO v_id, v_first FROM ${s}.messages m
  WHERE m.thread = p_key AND m.run_id = v_run AND m.role = 'assistant' AND m.last_seq IS NULL;
  IF NOT FOUND THEN RETURN; END IF;
  WITH said AS MATERIALIZED (
    SELECT e.seq, ${s}.readable(${wholeBodyOf(s, 'e')}) AS event FROM ${s}.events e
    WHERE e.thread = p_key AND e.seq > v_first AND e.seq < p_seq AND strpos(e.body, v_match) > 0
      AND (strpos(e.body, '"type":"text"') > 0 OR strpos(e.body, '"type":"usage"') > 0)
  ), own AS (
    SELECT seq, event, event->>'type' AS type FROM said WHERE event->>'runId' = v_run
  ), streams AS (
    SELECT min(seq) AS first, string_agg(event->>'content', '' ORDER BY seq) AS text FROM own
    WHERE type = 'text' AND event->>'fromResult' IS DISTINCT FROM 'true' GROUP BY event->>'id'
  ), used AS (
    SELECT sum((event->>'inputTokens')::float8) AS input, sum((event->>'outputTokens')::float8) AS output,
      sum((event->>'cacheReadTokens')::float8) AS cache_read, sum((event->>'cacheWriteTokens')::float8) AS cache_write,
      sum((event->>'reasoningTokens')::float8) AS reasoning, sum((event->>'cost')::float8) AS cost,
      (array_agg(event->>'model' ORDER BY seq DESC) FILTER (WHERE event->>'model' IS NOT NULL))[1] AS model
    FROM own WHERE type = 'usage'
  )
  UPDATE ${s}.messages m SET
    text = coalesce((SELECT string_agg(streams.text, E'\\n\\n' ORDER BY first) FROM streams WHERE streams.text <> ''), ''),
    reason = p_mark->>'reason', model = coalesce(used.model, m.model),
    input_tokens = used.input, output_tokens = used.output, cache_read_tokens = used.cache_read,
    cache_write_tokens = used.cache_write, reasoning_tokens = used.reasoning, cost = used.cost,
    last_seq = p_seq, completed = (p_mark->>'ts')::timestamptz
  FROM used WHERE m.thread = p_key AND m.id = v_id;
END $$;

-- Applies what events say of messages; the places of their marks count from p_seq. Planning its statements for each call
-- takes several times as long as executing them; plans that are kept must use the indexes, whatever the tables held then.
CREATE OR REPLACE FUNCTION ${s}.project_messages(p_key bigint, p_seq bigint, p_marks jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $$
DECLARE
  v_mark jsonb;
  v_seq bigint;
  v_tip text;
  v_named ${s}.messages;
  v_first text;
  v_new ${s}.messages;
BEGIN
  FOR v_mark IN SELECT value FROM jsonb_array_elements(p_marks) LOOP
    v_seq := p_seq + (v_mark->>'at')::bigint;
    IF v_mark->>'type' = 'end' THEN
      PERFORM ${s}.complete_message(p_key, v_mark, v_seq);
      CONTINUE;
    END IF;
    SELECT tip INTO v_tip FROM ${s}.threads WHERE key = p_key;
    IF v_tip IS NULL THEN
      v_tip := ${s}.find_tip(p_key, '');
      UPDATE ${s}.threads SET tip = v_tip WHERE key = p_key;
    END IF;
    SELECT * INTO v_named FROM ${s}.message_named(p_key, v_mark->>'parent');
    IF v_mark->>'type' = 'select' THEN
      IF v_named.id IS NULL OR v_named.spawned_by IS NOT NULL THEN CONTINUE; END IF;
      INSERT INTO ${s}.selections (thread, message, seq) VALUES (p_key, v_named.id, v_seq);
      IF ${s}.is_after(p_key, v_tip, coalesce(v_named.parent_message_id, '')) THEN
        UPDATE ${s}.threads SET tip = ${s}.find_tip(p_key, v_named.id) WHERE key = p_key;
      END IF;
      CONTINUE;
    END IF;
    IF EXISTS (SELECT 1 FROM ${s}.message_named(p_key, v_mark->>'run') m WHERE m.role = 'assistant') THEN CONTINUE; END IF;
    v_new := NULL;
    v_new.thread := p_key;
    v_new.run_id := v_mark->>'run';
    v_new.first_seq := v_seq;
    v_new.created := (v_mark->>'ts')::timestamptz;
    IF v_mark->>'type' = 'user' THEN
      v_new.id := v_new.run_id || ':user';
      v_new.role := 'user';
      v_new.author := v_mark->>'by';
      v_new.text := v_mark->>'text';
      v_new.last_seq := v_seq;
      v_new.completed := v_new.created;
      v_new.parent_message_id := CASE WHEN v_mark->>'parent' = '' THEN NULL
        WHEN v_named.id IS NOT NULL AND v_named.spawned_by IS NULL THEN v_named.id ELSE nullif(v_tip, '') END;
    ELSE
      v_new.id := v_new.run_id;
      v_new.role := 'assistant';
      v_new.agent_id := v_mark->>'agent';
      v_new.model := v_mark->>'model';
      IF v_mark->>'parent' IS NULL THEN
        v_new.parent_message_id := nullif(v_tip, '');
      ELSIF v_named.role = 'user' THEN
        v_new.answers := v_named.id;
        SELECT coalesce(m.parent_message_id, v_named.id) INTO v_first
        FROM ${s}.lineage(p_key) l JOIN ${s}.messages m ON m.thread = l.key AND m.first_seq <= l.until
        WHERE m.answers = v_named.id ORDER BY m.first_seq LIMIT 1;
        v_new.parent_message_id := CASE WHEN FOUND THEN v_first
          WHEN ${s}.is_after(p_key, v_tip, v_named.id) THEN v_tip ELSE v_named.id END;
      ELSE
        v_new.spawned_by := v_mark->>'parent';
      END IF;
    END IF;
    PERFORM ${s}.add_message(p_key, v_new, v_tip);
  END LOOP;
END $$;`;
}
