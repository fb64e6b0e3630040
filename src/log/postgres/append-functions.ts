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
  p_messages jsonb, p_first_ms double precision, p_last_ms double precision, p_last_ts text,
  p_now timestamptz, p_channel text,
  OUT status text, OUT topic uuid, OUT last bigint, OUT newest_ts text, OUT at_ms double precision
) LANGUAGE plpgsql AS $$
DECLARE
  t record;
  v_at timestamptz := coalesce(p_now, clock_timestamp());
BEGIN
  SELECT h.key, h.made, h.seq, h.id, h.updated, h.imported, h.newest_ts, h.newest_ms INTO t
  FROM ${s}.threads h WHERE h.id = p_thread FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    status := 'thread_not_found';
    RETURN;
  END IF;
  topic := t.made;
  last := t.seq;
  -- What waited for others happens when they are done.
  IF p_now IS NULL THEN v_at := clock_timestamp(); END IF;
  at_ms := extract(epoch FROM v_at) * 1000;
  IF p_is_repeated THEN
    SELECT e.seq INTO last FROM ${s}.events e WHERE e.append = p_append;
    IF NOT FOUND AND p_once IS NOT NULL THEN
      SELECT o.seq INTO last FROM ${s}.once o WHERE o.thread = t.key AND o.key = p_once AND o.append = p_append;
    END IF;
    IF last IS NOT NULL THEN
      status := 'appended';
      RETURN;
    END IF;
    last := t.seq;
  END IF;
  IF p_expected <> t.seq THEN
    status := 'seq_conflict';
    RETURN;
  END IF;
  IF p_once IS NOT NULL THEN
    SELECT o.seq INTO last FROM ${s}.once o WHERE o.thread = t.key AND o.key = p_once;
    IF FOUND THEN
      status := 'once_conflict';
      RETURN;
    END IF;
    last := t.seq;
  END IF;
  IF p_lease IS NOT NULL THEN
    -- Locked until the commit: whoever takes the lease next sees these events.
    PERFORM 1 FROM ${s}.leases l WHERE l.name = p_lease AND l.token = p_token FOR SHARE;
    IF NOT FOUND THEN
      status := 'lease_lost';
      RETURN;
    END IF;
  END IF;
  IF p_is_imported AND t.imported IS DISTINCT FROM t.seq THEN
    status := 'not_importable';
    RETURN;
  END IF;
  IF p_count > 0 AND NOT p_is_imported AND p_first_ms < t.newest_ms THEN
    status := 'earlier';
    newest_ts := t.newest_ts;
    RETURN;
  END IF;
  last := t.seq + p_count;
  -- Moving a thread in the listing costs as much as an append: one that is at the top since shortly stays there.
  IF v_at - t.updated < interval '10 ms' AND v_at >= t.updated AND NOT EXISTS (
    SELECT 1 FROM ${s}.threads n WHERE n.id IS NOT NULL AND (n.updated, n.id) > (t.updated, t.id)
  ) THEN
    UPDATE ${s}.threads u SET seq = last, imported = CASE WHEN p_is_imported THEN last ELSE u.imported END,
      newest_ts = coalesce(p_last_ts, u.newest_ts), newest_ms = coalesce(p_last_ms, u.newest_ms)
    WHERE u.key = t.key;
  ELSE
    UPDATE ${s}.threads u SET seq = last, imported = CASE WHEN p_is_imported THEN last ELSE u.imported END,
      newest_ts = coalesce(p_last_ts, u.newest_ts), newest_ms = coalesce(p_last_ms, u.newest_ms),
      updated = greatest(u.updated, v_at)
    WHERE u.key = t.key;
  END IF;
  IF p_count = 1 THEN
    INSERT INTO ${s}.events (thread, seq, append, body) VALUES (t.key, last, p_append, replace(p_bodies, E'\\x02', last::text));
  ELSIF p_count > 1 THEN
    INSERT INTO ${s}.events (thread, seq, append, body)
    SELECT t.key, t.seq + b.n, CASE WHEN b.n = p_count THEN p_append END, replace(b.body, E'\\x02', (t.seq + b.n)::text)
    FROM unnest(string_to_array(p_bodies, E'\\n')) WITH ORDINALITY AS b(body, n);
  END IF;
  IF p_once IS NOT NULL THEN
    INSERT INTO ${s}.once (thread, key, seq, append) VALUES (t.key, p_once, last, p_append);
  END IF;
  IF p_names IS NOT NULL THEN
    PERFORM ${s}.change_metadata(t.key, p_names, p_values);
  END IF;
  IF p_messages IS NOT NULL THEN
    PERFORM ${s}.project_messages(t.key, t.seq, p_messages);
  END IF;
  IF p_count > 0 THEN
    INSERT INTO ${s}.backlog (thread, after) VALUES (t.key, t.seq) ON CONFLICT (thread) DO NOTHING;
  END IF;
  IF p_channel IS NOT NULL AND p_count > 0 THEN
    PERFORM pg_notify(p_channel, t.made || ' ' || last);
  END IF;
  status := 'appended';
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
