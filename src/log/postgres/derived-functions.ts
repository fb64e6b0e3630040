import { ordersPerMs } from '../derived/searched-text.ts';

/** The tables of derived data, and the backlog of threads that are not derived completely. */
export function derivedTables(s: string): string {
  return `
CREATE TABLE ${s}.outlines (
  thread bigint NOT NULL,
  seq bigint NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (thread, seq)
);
CREATE TABLE ${s}.texts (
  key bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  thread bigint NOT NULL,
  -- Of its first event and of its last; 0 for the title of the thread.
  seq bigint NOT NULL,
  last bigint NOT NULL,
  message text NOT NULL,
  -- As JSON.
  title text,
  words tsvector NOT NULL
);
CREATE INDEX texts_by_thread ON ${s}.texts (thread, last);
CREATE INDEX texts_by_word ON ${s}.texts USING gin (words);
CREATE TABLE ${s}.used (
  resource text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  agent text COLLATE "C" NOT NULL,
  model text COLLATE "C" NOT NULL,
  calls double precision NOT NULL,
  input double precision,
  output double precision,
  cache_read double precision,
  cache_write double precision,
  reasoning double precision,
  cost double precision,
  PRIMARY KEY (resource, day, agent, model)
);
-- The threads of which events after a seq, or the title, are to be derived from; in the order in which they came.
CREATE TABLE ${s}.backlog (
  thread bigint PRIMARY KEY,
  after bigint NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY
);
CREATE INDEX backlog_by_position ON ${s}.backlog (position);
INSERT INTO ${s}.backlog (thread, after) SELECT key, fork FROM ${s}.threads ORDER BY key;`;
}

/** Counts usage by thread, and calls of tools. Usage counted by earlier versions remains, without its thread. */
export function usageOfThreadsAndTools(s: string): string {
  return `
ALTER TABLE ${s}.used
  ADD COLUMN IF NOT EXISTS thread text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS tool text COLLATE "C" NOT NULL DEFAULT '',
  ADD COLUMN IF NOT EXISTS failed double precision NOT NULL DEFAULT 0,
  ADD COLUMN IF NOT EXISTS tool_ms double precision NOT NULL DEFAULT 0,
  DROP CONSTRAINT used_pkey,
  ADD PRIMARY KEY (resource, day, agent, model, thread, tool);`;
}

const counts = ['input', 'output', 'cache_read', 'cache_write', 'reasoning', 'cost', 'failed', 'tool_ms'];

/** The functions that store derived data, and that find the threads which show a text. */
export function derivedFunctions(s: string): string {
  const sums = counts.map(
    name =>
      `${name} = CASE WHEN excluded.${name} IS NULL THEN u.${name} ELSE coalesce(u.${name}, 0) + excluded.${name} END`,
  );
  return `
-- Stores a text in the first free place of its time that no other process takes meanwhile.
CREATE OR REPLACE FUNCTION ${s}.add_text(
  p_first bigint, p_thread bigint, p_seq bigint, p_last bigint, p_message text, p_title text, p_words text[]
) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_first bigint := p_first;
  v_key bigint;
BEGIN
  LOOP
    SELECT coalesce(max(key) + 1, v_first) INTO v_key FROM ${s}.texts WHERE key >= v_first AND key < v_first + ${ordersPerMs};
    INSERT INTO ${s}.texts (key, thread, seq, last, message, title, words) OVERRIDING SYSTEM VALUE
    VALUES (v_key, p_thread, p_seq, p_last, p_message, p_title, array_to_tsvector(p_words)) ON CONFLICT (key) DO NOTHING;
    IF FOUND THEN RETURN; END IF;
    v_first := v_key;
  END LOOP;
END $$;

CREATE OR REPLACE FUNCTION ${s}.store_derived(
  p_thread bigint, p_after bigint, p_up_to bigint, p_title text, p_title_words text[],
  p_outlines jsonb, p_texts jsonb, p_used jsonb, p_messages jsonb,
  p_tree_seq bigint, p_tree text
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  t record;
  v_text record;
  v_after bigint;
BEGIN
  -- Appends wait for it, so that what they add is either seen here or stays in the backlog.
  SELECT h.seq, h.title, h.id, h.resource, h.updated INTO t FROM ${s}.threads h WHERE h.key = p_thread FOR NO KEY UPDATE;
  SELECT b.after INTO v_after FROM ${s}.backlog b WHERE b.thread = p_thread;
  IF t.seq IS NULL OR v_after IS DISTINCT FROM p_after THEN RETURN false; END IF;
  INSERT INTO ${s}.outlines (thread, seq, body)
  SELECT p_thread, (o->>0)::bigint, o->>1 FROM jsonb_array_elements(p_outlines) o ON CONFLICT DO NOTHING;
  IF t.title IS NOT DISTINCT FROM p_title AND NOT EXISTS (
    SELECT 1 FROM ${s}.texts x WHERE x.thread = p_thread AND x.last = 0 AND x.title IS NOT DISTINCT FROM p_title
  ) THEN
    DELETE FROM ${s}.texts WHERE thread = p_thread AND last = 0;
    IF p_title IS NOT NULL THEN
      PERFORM ${s}.add_text(
        floor(extract(epoch FROM t.updated) * 1000)::bigint * ${ordersPerMs}, p_thread, 0, 0, '', p_title, p_title_words
      );
    END IF;
  END IF;
  FOR v_text IN SELECT l.v FROM jsonb_array_elements(p_texts) WITH ORDINALITY AS l(v, n) ORDER BY l.n LOOP
    PERFORM ${s}.add_text(
      (v_text.v->>4)::bigint, p_thread, (v_text.v->>0)::bigint, (v_text.v->>1)::bigint, v_text.v->>2, NULL,
      ARRAY(SELECT jsonb_array_elements_text(v_text.v->3))
    );
  END LOOP;
  FOR i IN 0 .. jsonb_array_length(p_used) - 1 LOOP
    INSERT INTO ${s}.used AS u (resource, thread, day, agent, model, tool, calls, ${counts.join()})
    SELECT t.resource, coalesce(t.id, ''), c->>0, c->>1, c->>2, c->>3, 1, ${counts.map((_, index) => `(c->>${index + 4})::double precision`).join()}
    FROM (SELECT p_used->i AS c) one
    ON CONFLICT (resource, day, agent, model, thread, tool) DO UPDATE SET calls = u.calls + 1, ${sums.join()};
  END LOOP;
  PERFORM ${s}.store_messages(p_thread, p_messages);
  IF p_tree IS NOT NULL THEN
    INSERT INTO ${s}.message_trees (thread, seq, body) VALUES (p_thread, p_tree_seq, p_tree)
    ON CONFLICT (thread) DO UPDATE SET seq = excluded.seq, body = excluded.body;
  END IF;
  IF p_up_to >= t.seq AND t.title IS NOT DISTINCT FROM p_title THEN
    DELETE FROM ${s}.backlog WHERE thread = p_thread;
  ELSE
    UPDATE ${s}.backlog SET after = p_up_to WHERE thread = p_thread;
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION ${s}.showing(p_thread bigint, p_seq bigint) RETURNS SETOF ${s}.thread_rows LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY SELECT * FROM ${s}.thread_rows WHERE key = p_thread;
  IF FOUND THEN RETURN; END IF;
  RETURN QUERY WITH RECURSIVE sharing AS (
    SELECT c.key FROM ${s}.threads c WHERE c.owner = p_thread AND c.fork >= p_seq
    UNION SELECT c.key FROM ${s}.threads c JOIN sharing ON c.owner = sharing.key
  ) SELECT * FROM ${s}.thread_rows WHERE key IN (SELECT sharing.key FROM sharing) ORDER BY key;
END $$;`;
}
