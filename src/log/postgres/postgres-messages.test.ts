import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../../../test/support/services.ts';
import type { AgentEvent } from '../../events/vocabulary.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();

const say = (runId: string, content: string, parentMessageId?: string): AgentEvent => ({
  type: 'user',
  runId,
  content,
  ...(parentMessageId !== undefined && { parentMessageId }),
});
const start = (runId: string, parentId?: string): AgentEvent => ({
  type: 'harness_start',
  runId,
  agentId: 'agent',
  ...(parentId !== undefined && { parentId }),
});
const text = (runId: string, content: string, id = `${runId}/text`): AgentEvent => ({
  type: 'text',
  runId,
  id,
  content,
});
const usage = (runId: string, inputTokens: number): AgentEvent => ({
  type: 'usage',
  runId,
  inputTokens,
  outputTokens: 2,
  model: 'model',
  cost: 0.5,
});
const end = (runId: string): AgentEvent => ({ type: 'harness_end', runId, agentId: 'agent', reason: 'complete' });

describe.skipIf(database === undefined)('the table of messages', () => {
  const client = new Client({ connectionString: database?.url });
  let log: PostgresLog;
  beforeAll(async () => {
    log = await PostgresLog.open(database?.url ?? '');
    await client.connect();
  });
  afterAll(async () => {
    await log?.close();
    await client.end();
    await database?.drop();
  });

  const messagesOf = async (threadId: string, columns = 'id, parent_message_id, text') => {
    const sql = `SELECT ${columns} FROM singletree.thread_messages WHERE thread_id = $1 ORDER BY first_seq`;
    return (await client.query({ text: sql, values: [threadId], rowMode: 'array' })).rows as unknown[][];
  };
  const append = async (threadId: string, ...batches: (AgentEvent | AgentEvent[])[]) => {
    for (const batch of batches) await log.append(threadId, [batch].flat());
  };

  it('has a message of a person at once, and that of an agent when its run has ended', async () => {
    const { id } = await log.createThread();
    await append(id, [say('u1', 'Hello'), start('r1', 'u1:user')], text('r1', 'Good '), usage('r1', 10));
    expect(await messagesOf(id)).toEqual([
      ['u1:user', null, 'Hello'],
      ['r1', 'u1:user', null],
    ]);
    await append(id, text('r1', 'day.'), [text('r1', 'More.', 'second'), usage('r1', 5)], end('r1'));
    expect((await messagesOf(id)).at(-1)).toEqual(['r1', 'u1:user', 'Good day.\n\nMore.']);
    const columns = 'role, agent_id, model, input_tokens, output_tokens, cost, reason, first_seq::int, last_seq::int';
    expect((await messagesOf(id, columns)).at(-1)).toEqual(['assistant', 'agent', 'model', 15, 4, 1, 'complete', 2, 8]);
  });

  it('has long texts whole, and is the same when it is written anew', async () => {
    const long = 'apple '.repeat(20_000);
    const { id } = await log.createThread();
    await append(id, [say('long-asked', long), start('long', 'long-asked:user')], text('long', long), end('long'));
    await client.query("UPDATE singletree.messages SET text = 'other' WHERE run_id LIKE 'long%'");
    expect(await log.checkMessages({ rebuild: true })).toMatchObject({ different: [id] });
    expect(await messagesOf(id)).toEqual([
      ['long-asked:user', null, long],
      ['long', 'long-asked:user', long],
    ]);
    expect(await log.search({ text: 'apple' })).toMatchObject({ hits: [{ messageId: 'long' }, { seq: 1 }] });
  });

  it('does not rewrite a message while its text grows', async () => {
    const { id } = await log.createThread();
    await append(id, start('grows'));
    const rowOf = async () =>
      (await client.query("SELECT ctid::text, xmin::text FROM singletree.messages WHERE id = 'grows'")).rows;
    const first = await rowOf();
    for (let n = 0; n < 20; n++) await append(id, text('grows', `${n} `));
    expect(await rowOf()).toEqual(first);
    await append(id, end('grows'));
    expect(await rowOf()).not.toEqual(first);
  });

  it('follows the order of the conversation: answers, edits, retries, choices and subagents', async () => {
    const { id } = await log.createThread();
    await append(id, say('a', 'first'), [start('ra', 'a:user'), end('ra')], say('b', 'second'), [
      start('rb', 'b:user'),
      start('sub', 'rb/call'),
      end('sub'),
      end('rb'),
    ]);
    // An edit of the second message, another answer to it, and a message after going back to the first version.
    await append(id, say('b2', 'second, better', 'ra'), [start('rb2', 'b2:user'), end('rb2')]);
    await append(id, [start('rb3', 'b2:user'), end('rb3')]);
    await append(id, { type: 'branch_selected', runId: 'x', nodeId: 'b:user' }, say('c', 'after the first version'));
    expect(await messagesOf(id, 'id, parent_message_id, spawned_by')).toEqual([
      ['a:user', null, null],
      ['ra', 'a:user', null],
      ['b:user', 'ra', null],
      ['rb', 'b:user', null],
      ['sub', null, 'rb/call'],
      ['b2:user', 'ra', null],
      ['rb2', 'b2:user', null],
      ['rb3', 'b2:user', null],
      ['c:user', 'rb', null],
    ]);
  });

  it('takes a message into a running run for a part of it', async () => {
    const { id } = await log.createThread();
    await append(id, [say('q', 'go'), start('s', 'q:user')], say('s', 'also this'), end('s'));
    expect((await messagesOf(id, 'id')).flat()).toEqual(['q:user', 's']);
  });

  it('continues the messages of the thread that a branch shares', async () => {
    const { id } = await log.createThread();
    await append(id, say('p', 'one'), [start('rp', 'p:user'), end('rp')], say('p2', 'two'));
    const child = await log.branch(id, 3);
    await append(child.id, say('own', 'instead'), [start('rown', 'own:user'), text('rown', 'ok'), end('rown')]);
    expect(await messagesOf(child.id)).toEqual([
      ['own:user', 'rp', 'instead'],
      ['rown', 'own:user', 'ok'],
    ]);
    await log.deleteThread(id);
    expect(await messagesOf(child.id, 'id')).toHaveLength(2);
    const { rows } = await client.query("SELECT id FROM singletree.messages WHERE id IN ('rp', 'p2:user')");
    expect(rows).toEqual([{ id: 'rp' }]);
    await log.deleteThread(child.id);
    expect((await client.query("SELECT id FROM singletree.messages WHERE id = 'rp'")).rows).toEqual([]);
  });

  it('shows U+FFFD for what PostgreSQL cannot hold, and the rest as it is', async () => {
    const { id } = await log.createThread();
    const hostile = 'a\u0000\u0000b \ud800\ud800 \\u0000 \\\\ud800 " \u{1f9ed}';
    const readable = 'a\ufffd\ufffdb \ufffd\ufffd \\u0000 \\\\ud800 " \u{1f9ed}';
    const run = 'run \u0000 \ud800';
    await append(id, [say('h', hostile), start(run, 'h:user'), text(run, hostile), end(run)]);
    expect((await messagesOf(id, 'text')).flat()).toEqual([readable, readable]);
  });

  it('is the same when it is computed again, and is repaired where it is not', async () => {
    expect(await log.checkMessages()).toMatchObject({ different: [] });
    const { id } = await log.createThread();
    await append(id, say('broken', 'right'), [start('rbroken', 'broken:user'), text('rbroken', 'yes'), end('rbroken')]);
    const right = await messagesOf(id);
    await client.query("UPDATE singletree.messages SET text = 'wrong' WHERE id = 'broken:user'");
    await client.query("DELETE FROM singletree.messages WHERE id = 'rbroken'");
    const wrong = await messagesOf(id);
    expect(await log.checkMessages()).toMatchObject({ different: [id] });
    expect(await messagesOf(id)).toEqual(wrong);
    expect(await log.checkMessages({ rebuild: true })).toMatchObject({ different: [id] });
    expect(await messagesOf(id)).toEqual(right);
    expect(await log.checkMessages()).toMatchObject({ different: [] });
  });
});
