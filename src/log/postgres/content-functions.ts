import { contentMark } from '../long-content.ts';

/** The tables of long texts of events, each stored once, and of the events that have them. */
export function contentTables(s: string): string {
  return `
CREATE TABLE ${s}.contents (
  hash text COLLATE "C" PRIMARY KEY,
  -- As JSON.
  body text NOT NULL,
  -- How many events have it.
  uses bigint NOT NULL
);
CREATE TABLE ${s}.content_references (
  thread bigint NOT NULL,
  seq bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  PRIMARY KEY (thread, seq, hash)
);
-- The bytes of its long texts, which its body refers to; null when it has none.
ALTER TABLE ${s}.events ADD COLUMN content_bytes bigint;
DROP FUNCTION IF EXISTS ${s}.append_events(
  text, text, bigint, uuid, boolean, bigint, text, text, bigint, text, text, boolean,
  jsonb, double precision, double precision, text, timestamptz, text
);`;
}

/** The expression for the whole body of an event. */
export function buildWholeBody(s: string, event: string): string {
  return `CASE WHEN ${event}.content_bytes IS NULL THEN ${event}.body ELSE ${s}.whole_body(${event}.body) END`;
}

/** The functions that store, resolve and release long texts. */
export function contentFunctions(s: string): string {
  return `
-- The body of an event with its long texts in the places of their references.
CREATE OR REPLACE FUNCTION ${s}.whole_body(p_body text) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_body text := p_body;
  v_hash text;
BEGIN
  FOR v_hash IN SELECT DISTINCT m[1] FROM regexp_matches(p_body, '${contentMark}([0-9a-f]{64})${contentMark}', 'g') m LOOP
    SELECT replace(v_body, '${contentMark}' || v_hash || '${contentMark}', c.body) INTO v_body FROM ${s}.contents c WHERE c.hash = v_hash;
  END LOOP;
  RETURN v_body;
END $$;

-- Stores long texts of events, whose places count from p_seq. Each line is a hash, the places of its events, and the
-- text. All calls lock them in the order of their hashes.
CREATE OR REPLACE FUNCTION ${s}.store_contents(p_thread bigint, p_seq bigint, p_lines text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  c record;
BEGIN
  FOR c IN
    SELECT split_part(l, ' ', 1) COLLATE "C" AS hash, string_to_array(split_part(l, ' ', 2), ',')::bigint[] AS places,
      substr(l, length(split_part(l, ' ', 1)) + length(split_part(l, ' ', 2)) + 3) AS body
    FROM unnest(string_to_array(p_lines, E'\\n')) l ORDER BY 1
  LOOP
    INSERT INTO ${s}.contents AS o (hash, body, uses) VALUES (c.hash, c.body, cardinality(c.places))
    ON CONFLICT (hash) DO UPDATE SET uses = o.uses + excluded.uses;
    INSERT INTO ${s}.content_references (thread, seq, hash) SELECT p_thread, p_seq + place, c.hash FROM unnest(c.places) place;
    UPDATE ${s}.events e SET content_bytes = coalesce(e.content_bytes, 0) + octet_length(c.body)
    WHERE e.thread = p_thread AND e.seq IN (SELECT p_seq + place FROM unnest(c.places) place);
  END LOOP;
END $$;

-- Releases long texts of events of a thread after a seq, at most p_most; returns how many.
CREATE OR REPLACE FUNCTION ${s}.release_contents(p_thread bigint, p_after bigint, p_most integer) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  v_hashes text[];
  c record;
BEGIN
  WITH released AS (
    DELETE FROM ${s}.content_references WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM ${s}.content_references WHERE thread = p_thread AND seq > p_after LIMIT p_most
    )) RETURNING hash
  ) SELECT array_agg(hash) INTO v_hashes FROM released;
  IF v_hashes IS NULL THEN RETURN 0; END IF;
  FOR c IN SELECT h COLLATE "C" AS hash, count(*) AS count FROM unnest(v_hashes) h GROUP BY 1 ORDER BY 1 LOOP
    UPDATE ${s}.contents SET uses = uses - c.count WHERE hash = c.hash;
    DELETE FROM ${s}.contents WHERE hash = c.hash AND uses <= 0;
  END LOOP;
  RETURN cardinality(v_hashes);
END $$;`;
}
