import * as fc from 'fast-check';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { conversationLog, unlogged } from '../../../test/support/random-conversations.ts';
import { lawRuns } from '../../../test/support/run-size.ts';
import { testDatabase } from '../../../test/support/services.ts';
import type { AgentEvent, LoggedEvent } from '../../events/vocabulary.ts';
import { createConversation, reduceConversation } from '../../graph/conversation/conversation.ts';
import { getMessages } from '../../graph/conversation/queries.ts';
import { PostgresLog } from './postgres-log.ts';

const database = await testDatabase();

const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
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
    await log.readMessages(threadId);
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
    await log.readMessages(id);
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
    const rowOf = async () => {
      await log.readMessages(id);
      return (await client.query("SELECT ctid::text, xmin::text FROM singletree.messages WHERE id = 'grows'")).rows;
    };
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
      { type: 'tool_call', runId: 'rb', id: 'rb/call', name: 'ask', input: {} },
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

  it('leaves out the text of a replaced attempt', async () => {
    const { id } = await log.createThread();
    const step: AgentEvent = { type: 'step_start', runId: 'again', step: 0 };
    await append(id, start('again'), [step, text('again', 'Lost')], [step, text('again', 'Kept')], end('again'));
    expect(await messagesOf(id)).toEqual([['again', null, 'Kept']]);
  });

  it('has the parents that the conversation has, right after each append to random branching threads', async () => {
    const parents = (messages: Iterable<{ id: string; parentMessageId?: string; spawnedBy?: string }>) =>
      Object.fromEntries([...messages].map(({ id, parentMessageId, spawnedBy }) => [id, [parentMessageId, spawnedBy]]));
    const played = fc.tuple(conversationLog(60, 10), conversationLog(30), fc.nat(100), fc.integer({ min: 1, max: 30 }));
    const check = async ([events, later, cut, size]: [LoggedEvent[], LoggedEvent[], number, number]) => {
      const compare = async (threadId: string) => {
        const conversation = (await log.read(threadId)).reduce(reduceConversation, createConversation());
        expect(parents(await log.readMessages(threadId))).toEqual(parents(getMessages(conversation)));
      };
      const appendAll = async (threadId: string, list: readonly AgentEvent[]) => {
        for (let at = 0; at < list.length; at += size) {
          await log.append(threadId, list.slice(at, at + size));
          await compare(threadId);
        }
      };
      const { id, seq } = await log.createThread();
      expect(seq).toBe(0);
      await appendAll(id, unlogged(events));
      const branch = await log.branch(id, Math.floor((events.length * cut) / 100));
      await compare(branch.id);
      await appendAll(branch.id, unlogged(later));
      await compare(id);
    };
    await fc.assert(fc.asyncProperty(played, check), { numRuns: lawRuns(60) });
  }, 240_000);

  it('continues in another process where the first one ended, and derives what an older version has not', async () => {
    const open = () => PostgresLog.open(database?.url ?? '', { schema: 'continued' });
    const turn = (n: number) => [
      say(`c${n}`, `${n}`),
      start(`rc${n}`, `c${n}:user`),
      text(`rc${n}`, 'a'),
      end(`rc${n}`),
    ];
    const first = await open();
    const { id } = await first.createThread();
    for (let n = 0; n < 300; n += 50)
      await first.append(
        id,
        numbers(50).flatMap(at => turn(n + at)),
      );
    const before = await first.readMessages(id);
    const { rows } = await client.query('SELECT seq::int FROM continued.message_trees WHERE seq >= 512');
    expect(rows).not.toEqual([]);
    const second = await open();
    await second.append(id, turn(300));
    const after = await second.readMessages(id);
    expect(after.slice(0, -2)).toEqual(before);
    expect(after.at(-1)).toMatchObject({ id: 'rc300', parentMessageId: 'c300:user' });
    for (const log of [first, second]) await log.close();

    // As in a database of an older version, whose messages were written by the functions that append.
    await client.query("UPDATE continued.messages SET parent_message_id = 'other'");
    await client.query('DROP TABLE continued.message_trees');
    await client.query('UPDATE continued.singletree_log SET version = version - 1');
    const migrated = await open();
    try {
      expect(await migrated.readMessages(id)).toEqual(after);
      expect(await migrated.checkMessages()).toEqual({ threads: 1, different: [] });
    } finally {
      await migrated.close();
    }
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
