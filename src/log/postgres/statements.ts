import type { OpenKind } from '../open-things.ts';
import type { Statement } from './value-query.ts';
import { buildWholeBody } from './content-functions.ts';

/** The statements of events and threads; each call of the log is one statement. */
export function createStatements(s: string) {
  const statement = (name: string, text: string): Statement => ({ name, text });
  return {
    // The rows that hold a part of the range, each with the events it adds; one row without an event when there are none.
    read: statement(
      'read',
      `WITH RECURSIVE thread AS (
         SELECT key, owner, fork, seq FROM ${s}.threads WHERE id = $1 AND ($6::bigint IS NULL OR key = $6)
       ), place AS (
         SELECT key, owner, fork, $3::bigint AS before FROM thread
         UNION ALL
         SELECT o.key, o.owner, o.fork, least(p.before, p.fork + 1) FROM place p JOIN ${s}.threads o ON o.key = p.owner
         WHERE least(p.before, p.fork + 1) > $2::bigint + 1
       ), page AS (
         SELECT e.*, sum(e.bytes) OVER (ORDER BY e.seq) - e.bytes AS bytes_before
         FROM place p CROSS JOIN LATERAL (
           SELECT seq, body, content_bytes, octet_length(body) + coalesce(content_bytes, 0) AS bytes FROM ${s}.events
           WHERE thread = p.key AND seq > greatest($2::bigint, p.fork) AND seq < p.before
           ORDER BY seq LIMIT $4
         ) e ORDER BY e.seq LIMIT $4
       ) SELECT thread.seq AS head, page.seq, ${buildWholeBody(s, 'page')} AS body FROM thread LEFT JOIN page ON page.bytes_before < $5 ORDER BY page.seq`,
    ),
    place: statement('place', `SELECT key, made, seq FROM ${s}.threads WHERE id = $1`),
    look: statement('look', `SELECT key, seq FROM ${s}.threads WHERE key = ANY ($1::bigint[]) AND id IS NOT NULL`),
    thread: statement('thread', `SELECT * FROM ${s}.thread_rows WHERE id = $1`),
    create: statement('create', `SELECT * FROM ${s}.create_thread($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`),
    update: statement('update', `SELECT * FROM ${s}.update_thread($1, $2, $3, $4, $5)`),
    hide: statement(
      'hide',
      `WITH hidden AS MATERIALIZED (SELECT ${s}.hide_thread($1, $2) AS key)
       SELECT h.key, t.made FROM hidden h JOIN ${s}.threads t ON t.key = h.key`,
    ),
    onceKeys: statement(
      'once keys',
      `SELECT o.key, o.seq FROM ${s}.threads t LEFT JOIN ${s}.once o ON o.thread = t.key WHERE t.id = $1 ORDER BY o.seq, o.key`,
    ),
    now: statement('now', 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS at_ms'),
  };
}

/** The statement that lists threads under these conditions. */
export function listing(
  s: string,
  { hasResource, hasAfter, open }: { hasResource: boolean; hasAfter: boolean; open: OpenKind | undefined },
): Statement {
  const conditions = [
    hasResource ? 'resource = $2' : '$2::text IS NULL',
    hasAfter ? '(updated, id) < ($3::timestamptz, $4::text)' : '$3::text IS NULL AND $4::text IS NULL',
    ...(open === undefined ? [] : [`key IN (SELECT thread FROM ${s}.open_things WHERE kind = '${open}')`]),
  ];
  return {
    name: `list ${Number(hasResource)}${Number(hasAfter)} ${open ?? ''}`,
    text: `SELECT * FROM ${s}.thread_rows WHERE ${conditions.join(' AND ')} ORDER BY updated DESC, id DESC LIMIT $1`,
  };
}
