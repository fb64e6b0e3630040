/**
 * The functions that append. A list of texts is passed as one text, its entries divided by line feeds, which JSON never
 * has. In the text of an event \\x02 stands for its seq, which is known only here.
 */
export function appendFunctions(s: string): string {
  return `
CREATE OR REPLACE FUNCTION ${s}.append_events(
  p_thread text, p_bodies text, p_count bigint, p_append uuid, p_is_repeated boolean,
  p_expected bigint, p_once text, p_lease text, p_token bigint,
  p_names text, p_values text, p_is_imported boolean,
  p_first_ms double precision, p_last_ms double precision, p_last_ts text,
  p_now timestamptz, p_channel text, p_contents text, p_open jsonb
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  v_key bigint;
  v_topic uuid;
  v_last bigint;
  v_at timestamptz;
  v_refusal text;
BEGIN
  IF p_lease IS NOT NULL THEN
    -- Locked until the commit: whoever takes the lease next sees these events.
    PERFORM 1 FROM ${s}.leases l WHERE l.name = p_lease AND l.token = p_token FOR SHARE;
    IF NOT FOUND THEN RETURN ${s}.append_refusal(p_thread, p_append, p_is_repeated, p_expected, p_once, true, p_is_imported, p_first_ms, p_count); END IF;
  END IF;
  IF p_once IS NOT NULL OR p_is_repeated OR p_is_imported THEN
    v_refusal := ${s}.append_refusal(p_thread, p_append, p_is_repeated, p_expected, p_once, false, p_is_imported, p_first_ms, p_count);
    IF v_refusal IS NOT NULL THEN RETURN v_refusal; END IF;
  END IF;
  v_at := coalesce(p_now, clock_timestamp());
  UPDATE ${s}.threads u SET
    seq = u.seq + p_count,
    imported = CASE WHEN p_is_imported THEN u.seq + p_count ELSE u.imported END,
    newest_ts = coalesce(p_last_ts, u.newest_ts),
    newest_ms = coalesce(p_last_ms, u.newest_ms),
    -- Moving a thread in the listing costs as much as an append: one that is at the top since shortly stays there.
    updated = CASE WHEN p_is_imported THEN greatest(u.updated, least(v_at, to_timestamp(p_last_ms / 1000)))
    WHEN v_at - u.updated < interval '10 ms' AND v_at >= u.updated AND NOT EXISTS (
      SELECT 1 FROM ${s}.threads n WHERE n.id IS NOT NULL AND (n.updated, n.id) > (u.updated, u.id)
    ) THEN u.updated ELSE greatest(u.updated, v_at) END
  WHERE u.id = p_thread AND (p_expected IS NULL OR p_expected = u.seq)
    AND (p_is_imported OR p_count = 0 OR (p_first_ms < u.newest_ms) IS NOT TRUE)
  RETURNING u.key, u.made, u.seq INTO v_key, v_topic, v_last;
  IF NOT FOUND THEN
    RETURN ${s}.append_refusal(p_thread, p_append, p_is_repeated, p_expected, p_once, false, p_is_imported, p_first_ms, p_count);
  END IF;
  IF p_count = 1 THEN
    INSERT INTO ${s}.events (thread, seq, append, body) VALUES (v_key, v_last, p_append, replace(p_bodies, E'\x02', v_last::text));
  ELSIF p_count > 1 THEN
    INSERT INTO ${s}.events (thread, seq, append, body)
    SELECT v_key, v_last - p_count + b.n, CASE WHEN b.n = p_count THEN p_append END,
      replace(b.body, E'\x02', (v_last - p_count + b.n)::text)
    FROM unnest(string_to_array(p_bodies, E'\n')) WITH ORDINALITY AS b(body, n);
  END IF;
  IF p_contents IS NOT NULL THEN
    PERFORM ${s}.store_contents(v_key, v_last - p_count, p_contents);
  END IF;
  IF p_once IS NOT NULL THEN
    INSERT INTO ${s}.once (thread, key, seq, append) VALUES (v_key, p_once, v_last, p_append);
  END IF;
  IF p_names IS NOT NULL THEN
    PERFORM ${s}.change_metadata(v_key, p_names, p_values);
  END IF;
  IF p_open IS NOT NULL THEN
    PERFORM ${s}.change_open(v_key, v_last - p_count, p_open);
  END IF;
  IF p_count > 0 THEN
    INSERT INTO ${s}.backlog (thread, after) VALUES (v_key, v_last - p_count) ON CONFLICT (thread) DO NOTHING;
  END IF;
  IF p_channel IS NOT NULL AND p_count > 0 THEN
    PERFORM pg_notify(p_channel, v_topic || ' ' || v_last);
  END IF;
  RETURN 'appended ' || v_last || ' ' || v_topic || ' ' || date_part('epoch', v_at) * 1000;
END $$;

-- Why an append is refused, or what it did when it is repeated; null when nothing is against it. Locks the thread.
CREATE OR REPLACE FUNCTION ${s}.append_refusal(
  p_thread text, p_append uuid, p_is_repeated boolean, p_expected bigint, p_once text, p_is_lost boolean,
  p_is_imported boolean, p_first_ms double precision, p_count bigint
) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  t record;
  v_seq bigint;
BEGIN
  SELECT h.key, h.made, h.seq, h.imported, h.newest_ts, h.newest_ms INTO t
  FROM ${s}.threads h WHERE h.id = p_thread FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN 'thread_not_found 0'; END IF;
  IF p_is_repeated THEN
    SELECT e.seq INTO v_seq FROM ${s}.events e WHERE e.append = p_append;
    IF NOT FOUND AND p_once IS NOT NULL THEN
      SELECT o.seq INTO v_seq FROM ${s}.once o WHERE o.thread = t.key AND o.key = p_once AND o.append = p_append;
    END IF;
    IF v_seq IS NOT NULL THEN RETURN 'appended ' || v_seq || ' ' || t.made; END IF;
  END IF;
  IF p_expected <> t.seq THEN RETURN 'seq_conflict ' || t.seq; END IF;
  IF p_once IS NOT NULL THEN
    SELECT o.seq INTO v_seq FROM ${s}.once o WHERE o.thread = t.key AND o.key = p_once;
    IF FOUND THEN RETURN 'once_conflict ' || v_seq; END IF;
  END IF;
  IF p_is_lost THEN RETURN 'lease_lost ' || t.seq; END IF;
  IF p_is_imported AND t.imported IS DISTINCT FROM t.seq THEN RETURN 'not_importable ' || t.seq; END IF;
  IF p_count > 0 AND NOT p_is_imported AND p_first_ms < t.newest_ms THEN RETURN 'earlier ' || t.seq || ' ' || t.newest_ts; END IF;
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION ${s}.append_raw(
  p_thread text, p_run text, p_first bigint, p_times text, p_streams text, p_lengths bigint[], p_bytes bytea,
  p_lease text, p_token bigint,
  OUT thread bigint, OUT last bigint, OUT is_same boolean, OUT is_lost boolean
) LANGUAGE plpgsql AS $$
DECLARE
  v_count bigint := coalesce(cardinality(p_lengths), 0);
BEGIN
  SELECT t.key INTO thread FROM ${s}.threads t WHERE t.id = p_thread FOR NO KEY UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  IF p_lease IS NOT NULL THEN
    PERFORM 1 FROM ${s}.leases l WHERE l.name = p_lease AND l.token = p_token FOR SHARE;
    is_lost := NOT FOUND;
    IF is_lost THEN RETURN; END IF;
  END IF;
  IF v_count = 0 THEN RETURN; END IF;
  SELECT max(r.n) INTO last FROM ${s}.raw_lines r WHERE r.thread = append_raw.thread AND r.run = p_run;
  last := coalesce(last, 0);
  IF last + 1 = p_first THEN
    INSERT INTO ${s}.raw_lines (thread, run, n, ts, stream, line)
    SELECT append_raw.thread, p_run, p_first + l.n - 1, l.ts, l.stream,
      substring(p_bytes FROM (1 + sum(l.length) OVER (ORDER BY l.n) - l.length)::integer FOR l.length::integer)
    FROM unnest(string_to_array(p_times, E'\\n'), string_to_array(p_streams, E'\\n'), p_lengths)
      WITH ORDINALITY AS l(ts, stream, length, n);
  ELSE
    -- Whether these lines are the last ones already.
    SELECT last = p_first + v_count - 1 AND p_bytes = string_agg(r.line, ''::bytea ORDER BY r.n) INTO is_same
    FROM ${s}.raw_lines r WHERE r.thread = append_raw.thread AND r.run = p_run AND r.n >= p_first;
  END IF;
END $$;`;
}
