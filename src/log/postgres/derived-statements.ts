import type { Statement } from './value-query.ts';
import { buildWholeBody } from './content-functions.ts';

/** The statements for derived data. */
export function derivedStatements(s: string) {
  const statement = (name: string, text: string): Statement => ({ name, text });
  const places = (start: string) => `WITH RECURSIVE place AS (
      SELECT key, owner, fork, $2::bigint AS up_to FROM ${s}.threads WHERE ${start}
      UNION ALL
      SELECT o.key, o.owner, o.fork, least(p.up_to, p.fork) FROM place p JOIN ${s}.threads o ON o.key = p.owner
    )`;
  const newest = `SELECT o.body FROM place p CROSS JOIN LATERAL (
      SELECT seq, body FROM ${s}.outlines WHERE thread = p.key AND seq <= p.up_to ORDER BY seq DESC LIMIT 1
    ) o ORDER BY o.seq DESC LIMIT 1`;
  const backlog = `SELECT b.position, b.thread, b.after, t.title, t.imported, t.fork,
      CASE WHEN t.id IS NULL THEN greatest(b.after, (SELECT coalesce(max(c.fork), 0) FROM ${s}.threads c WHERE c.owner = t.key)) ELSE t.seq END AS newest
    FROM ${s}.backlog b JOIN ${s}.threads t ON t.key = b.thread`;
  return {
    backlogEnd: statement('backlog end', `SELECT max(position) AS position FROM ${s}.backlog`),
    backlogCount: statement('backlog count', `SELECT count(*) FROM ${s}.backlog`),
    backlog: statement('backlog', `${backlog} WHERE b.position > $1 AND b.position <= $2 ORDER BY b.position LIMIT 1`),
    // Of a thread, then of those whose events it shares.
    backlogOf: statement(
      'backlog of',
      `WITH RECURSIVE place AS (
         SELECT key, owner FROM ${s}.threads WHERE id = $1
         UNION ALL
         SELECT o.key, o.owner FROM place p JOIN ${s}.threads o ON o.key = p.owner
       ) ${backlog} JOIN place p ON p.key = b.thread ORDER BY b.thread DESC LIMIT 1`,
    ),
    store: statement(
      'store derived',
      `SELECT ${s}.store_derived($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS is_stored`,
    ),
    outline: statement('outline', `${places('id = $1')} ${newest}`),
    outlineByKey: statement('outline by key', `${places('key = $1')} ${newest}`),
    messageTree: statement(
      'message tree',
      `${places('key = $1')} SELECT m.body FROM place p JOIN ${s}.message_trees m ON m.thread = p.key AND m.seq <= p.up_to
       ORDER BY m.seq DESC LIMIT 1`,
    ),
    // The texts and usage of a run.
    said: statement(
      'said',
      `SELECT ${buildWholeBody(s, 'e')} AS body FROM ${s}.events e WHERE thread = $1 AND seq >= $2 AND seq < $3
         AND strpos(body, $4) > 0 AND body ~ '"type":"(text|usage|step_start)"' ORDER BY seq`,
    ),
    messages: statement(
      'messages',
      `${places('id = $1')} SELECT m.* FROM place p JOIN ${s}.messages m ON m.thread = p.key AND m.first_seq <= p.up_to
       ORDER BY m.first_seq, m.id`,
    ),
    message: statement(
      'seq of message',
      `WITH RECURSIVE place AS (
         SELECT key, owner, fork, ${Number.MAX_SAFE_INTEGER}::bigint AS up_to FROM ${s}.threads WHERE id = $1
         UNION ALL
         SELECT o.key, o.owner, o.fork, least(p.up_to, p.fork) FROM place p JOIN ${s}.threads o ON o.key = p.owner
       ) SELECT m.first_seq AS seq FROM place p JOIN ${s}.messages m ON m.thread = p.key AND m.id = $2 AND m.first_seq <= p.up_to
       ORDER BY m.first_seq LIMIT 1`,
    ),
    own: statement(
      'own events',
      `SELECT ${buildWholeBody(s, 'e')} AS body FROM ${s}.events e WHERE thread = $1 AND seq > $2 AND seq <= $3 ORDER BY seq`,
    ),
    shared: statement(
      'shared events',
      `WITH RECURSIVE place AS (
         SELECT key, owner, fork, $3::bigint AS before FROM ${s}.threads WHERE key = $1
         UNION ALL
         SELECT o.key, o.owner, o.fork, least(p.before, p.fork + 1) FROM place p JOIN ${s}.threads o ON o.key = p.owner
       ) SELECT ${buildWholeBody(s, 'e')} AS body FROM place p CROSS JOIN LATERAL (
         SELECT seq, body, content_bytes FROM ${s}.events WHERE thread = p.key AND seq > greatest($2::bigint, p.fork) AND seq < p.before ORDER BY seq LIMIT $4
       ) e ORDER BY e.seq LIMIT $4`,
    ),
    find: statement(
      'find texts',
      `WITH found AS (
         SELECT key, thread, seq, last, message FROM ${s}.texts WHERE words @@ $1::tsquery AND key < $2::bigint ORDER BY key DESC LIMIT $3
       ) SELECT f.key AS text_key, f.thread, f.seq AS text_seq, f.last, f.message, r.*
       FROM found f LEFT JOIN LATERAL (
         SELECT * FROM ${s}.showing(f.thread, f.seq) r WHERE $4::text IS NULL OR r.resource = $4
       ) r ON true ORDER BY f.key DESC, r.key`,
    ),
    used: statement(
      'used',
      `SELECT resource, day, agent, model, CASE WHEN $4 THEN thread ELSE '' END AS thread, tool, sum(calls) AS calls,
         ARRAY[sum(input), sum(output), sum(cache_read), sum(cache_write), sum(reasoning), sum(cost)] AS counts,
         sum(failed) AS failed, sum(tool_ms) AS tool_ms
       FROM ${s}.used WHERE day >= $1 AND day <= $2 AND ($3::text IS NULL OR resource = $3) AND (tool <> '') = $5
       GROUP BY 1, 2, 3, 4, 5, 6`,
    ),
  };
}
