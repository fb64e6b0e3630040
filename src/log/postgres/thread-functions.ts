import { buildWholeBody } from './content-functions.ts';

/** The functions that create, change, branch and delete threads, and those of leases. */
export function threadFunctions(s: string): string {
  return `
-- The event as JSON that the database can hold: escapes of NUL and lone surrogates stand for U+FFFD. Looking for any
-- escape first is a fifth of what the pattern costs, for the many events that have none.
CREATE OR REPLACE FUNCTION ${s}.readable(p_body text) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN strpos(p_body, '\\u') > 0 AND p_body ~ '\\\\u(0000|d[89a-f])'
    THEN regexp_replace(p_body, '(?<!\\\\)((?:\\\\\\\\)*)\\\\u(?:0000|d[89a-f][0-9a-f]{2})', '\\1\\ufffd', 'g')
    ELSE p_body END::jsonb
$$;

CREATE OR REPLACE VIEW ${s}.thread_rows AS
  SELECT key, id, resource, title, seq, imported, owner, fork, from_thread, from_seq, updated,
    extract(epoch FROM created) * 1000 AS created_ms, extract(epoch FROM updated) * 1000 AS updated_ms,
    (SELECT string_agg(m.name || ':' || m.value, ',' ORDER BY m.position) FROM ${s}.metadata m WHERE m.thread = t.key) AS metadata,
    (SELECT json_agg(json_build_array(o.kind, o.id, o.run, o.seq, o.request, o.owner) ORDER BY o.seq)::text FROM ${s}.open_things o WHERE o.thread = t.key) AS open
  FROM ${s}.threads t WHERE id IS NOT NULL;

CREATE OR REPLACE FUNCTION ${s}.change_metadata(p_key bigint, p_names text, p_values text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  v_names text[] := string_to_array(p_names, E'\\n');
  v_values text[] := string_to_array(p_values, E'\\n');
BEGIN
  DELETE FROM ${s}.metadata m USING unnest(v_names, v_values) AS c(name, value)
  WHERE m.thread = p_key AND c.value = 'null' AND m.hash = sha256(convert_to(c.name, 'UTF8'));
  INSERT INTO ${s}.metadata (thread, hash, name, value)
  SELECT p_key, sha256(convert_to(c.name, 'UTF8')), c.name, c.value
  FROM unnest(v_names, v_values) WITH ORDINALITY AS c(name, value, n) WHERE c.value <> 'null' ORDER BY c.n
  ON CONFLICT (thread, hash) DO UPDATE SET value = excluded.value;
END $$;

CREATE OR REPLACE FUNCTION ${s}.create_thread(
  p_id text, p_made uuid, p_resource text, p_title text, p_names text, p_values text, p_is_imported boolean,
  p_from text, p_from_seq bigint, p_now timestamptz
) RETURNS SETOF ${s}.thread_rows LANGUAGE plpgsql AS $$
DECLARE
  v_at timestamptz := coalesce(p_now, clock_timestamp());
  v_key bigint;
  v_from record;
  v_owner record;
  v_imported bigint := CASE WHEN p_is_imported THEN 0 END;
  v_resource text := p_resource;
  v_owner_key bigint;
  v_newest text;
BEGIN
  IF p_from IS NOT NULL THEN
    -- Locked until the commit: events that the branch refers to are not removed meanwhile.
    SELECT key, resource, seq, imported, owner, fork, newest_ts INTO v_from FROM ${s}.threads WHERE id = p_from FOR SHARE;
    IF NOT FOUND OR p_from_seq > v_from.seq THEN RETURN; END IF;
    v_imported := CASE WHEN v_from.imported IS NOT NULL THEN least(v_from.imported, p_from_seq) END;
    v_resource := coalesce(p_resource, v_from.resource);
    v_owner := v_from;
    WHILE v_owner.key IS NOT NULL AND p_from_seq <= v_owner.fork LOOP
      SELECT key, resource, seq, imported, owner, fork, newest_ts INTO v_owner FROM ${s}.threads WHERE key = v_owner.owner FOR SHARE;
    END LOOP;
    v_owner_key := v_owner.key;
    v_newest := v_from.newest_ts;
    IF p_from_seq < v_from.seq THEN
      SELECT ${s}.readable(${buildWholeBody(s, 'e')})->>'ts' INTO v_newest FROM ${s}.events e WHERE e.thread = v_owner_key AND e.seq = p_from_seq;
    END IF;
  END IF;
  INSERT INTO ${s}.threads (id, made, resource, title, seq, imported, owner, fork, from_thread, from_seq,
    newest_ts, newest_ms, created, updated)
  VALUES (p_id, p_made, coalesce(v_resource, 'default'), p_title, coalesce(p_from_seq, 0), v_imported,
    v_owner_key, coalesce(p_from_seq, 0), p_from, p_from_seq,
    v_newest, extract(epoch FROM v_newest::timestamptz) * 1000, v_at, v_at)
  ON CONFLICT (id) DO NOTHING RETURNING key INTO v_key;
  IF v_key IS NULL THEN
    -- The same call may have created it already.
    RETURN QUERY SELECT r.* FROM ${s}.thread_rows r JOIN ${s}.threads t USING (key) WHERE t.id = p_id AND t.made = p_made;
    RETURN;
  END IF;
  IF p_names IS NOT NULL THEN PERFORM ${s}.change_metadata(v_key, p_names, p_values); END IF;
  IF p_title IS NOT NULL THEN INSERT INTO ${s}.backlog (thread, after) VALUES (v_key, coalesce(p_from_seq, 0)); END IF;
  RETURN QUERY SELECT * FROM ${s}.thread_rows WHERE key = v_key;
END $$;

CREATE OR REPLACE FUNCTION ${s}.update_thread(p_id text, p_title text, p_names text, p_values text, p_now timestamptz)
RETURNS SETOF ${s}.thread_rows LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint;
  v_seq bigint;
BEGIN
  UPDATE ${s}.threads SET title = coalesce(p_title, title), updated = greatest(updated, coalesce(p_now, clock_timestamp()))
  WHERE id = p_id RETURNING key, seq INTO v_key, v_seq;
  IF v_key IS NULL THEN RETURN; END IF;
  IF p_title IS NOT NULL THEN
    INSERT INTO ${s}.backlog (thread, after) VALUES (v_key, v_seq) ON CONFLICT (thread) DO NOTHING;
  END IF;
  IF p_names IS NOT NULL THEN PERFORM ${s}.change_metadata(v_key, p_names, p_values); END IF;
  RETURN QUERY SELECT * FROM ${s}.thread_rows WHERE key = v_key;
END $$;

CREATE OR REPLACE FUNCTION ${s}.hide_thread(p_id text, p_channel text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint;
  v_topic uuid;
BEGIN
  UPDATE ${s}.threads SET id = NULL, title = NULL, from_thread = NULL WHERE id = p_id RETURNING key, made INTO v_key, v_topic;
  IF v_key IS NULL THEN RETURN NULL; END IF;
  DELETE FROM ${s}.metadata WHERE thread = v_key;
  DELETE FROM ${s}.once WHERE thread = v_key;
  DELETE FROM ${s}.open_things WHERE thread = v_key;
  DELETE FROM ${s}.texts WHERE thread = v_key AND last = 0;
  IF p_channel IS NOT NULL THEN PERFORM pg_notify(p_channel, v_topic || ' ' || ${Number.MAX_SAFE_INTEGER}); END IF;
  RETURN v_key;
END $$;

CREATE OR REPLACE FUNCTION ${s}.remove_some(p_key bigint, p_most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_owner bigint;
  v_last bigint;
  v_count bigint;
BEGIN
  SELECT owner INTO v_owner FROM ${s}.threads WHERE key = p_key AND id IS NULL FOR UPDATE;
  IF NOT FOUND THEN RETURN NULL; END IF;
  DELETE FROM ${s}.raw_lines WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${s}.raw_lines WHERE thread = p_key LIMIT p_most));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count = p_most THEN RETURN p_key; END IF;
  SELECT max(fork) INTO v_last FROM ${s}.threads WHERE owner = p_key;
  IF ${s}.release_contents(p_key, coalesce(v_last, 0), 100) = 100 THEN RETURN p_key; END IF;
  DELETE FROM ${s}.events WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM ${s}.events WHERE thread = p_key AND seq > coalesce(v_last, 0) ORDER BY seq DESC LIMIT p_most
  ));
  GET DIAGNOSTICS v_count = ROW_COUNT;
  IF v_count = p_most THEN RETURN p_key; END IF;
  DELETE FROM ${s}.texts WHERE thread = p_key AND last > coalesce(v_last, 0);
  DELETE FROM ${s}.outlines WHERE thread = p_key AND seq > coalesce(v_last, 0);
  DELETE FROM ${s}.messages WHERE thread = p_key AND first_seq > coalesce(v_last, 0);
  DELETE FROM ${s}.message_trees WHERE thread = p_key AND seq > coalesce(v_last, 0);
  IF v_last IS NOT NULL THEN RETURN NULL; END IF;
  DELETE FROM ${s}.backlog WHERE thread = p_key;
  DELETE FROM ${s}.threads WHERE key = p_key;
  RETURN v_owner;
END $$;

CREATE OR REPLACE FUNCTION ${s}.take_lease(
  p_name text, p_owner text, p_ttl double precision, p_gone bigint, p_now timestamptz,
  OUT is_taken boolean, OUT owner text, OUT token bigint, OUT expires_ms double precision
) LANGUAGE plpgsql AS $$
DECLARE
  v_at timestamptz := coalesce(p_now, clock_timestamp());
BEGIN
  INSERT INTO ${s}.leases AS l (name, owner, token, expires)
  VALUES (p_name, p_owner, 1, v_at + p_ttl * interval '1 ms')
  ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, token = l.token + 1, expires = excluded.expires
  WHERE l.owner = excluded.owner OR l.expires <= v_at OR l.token = p_gone
  RETURNING true, l.owner, l.token, extract(epoch FROM l.expires) * 1000 INTO is_taken, owner, token, expires_ms;
  IF is_taken THEN RETURN; END IF;
  is_taken := false;
  SELECT l.owner, l.token, extract(epoch FROM l.expires) * 1000 INTO owner, token, expires_ms
  FROM ${s}.leases l WHERE l.name = p_name;
END $$;`;
}
