import { describe, expect, it } from 'vitest';
import type { Agent } from '../../agents/contract/agent.ts';
import type { ConversationParams } from '../../agents/contract/run-params.ts';
import { MemoryLog } from '../../log/memory-log.ts';
import { Supervisor } from '../supervision/supervisor.ts';

/** An agent with sessions, as external programs are: it goes on in the one it is given, or begins the next. */
function withSessions(id: string) {
  const seen: ConversationParams['session'][] = [];
  let begun = 0;
  const agent: Agent = {
    id,
    async *invoke({ run: { runId, parentId }, conversation: { session } }) {
      seen.push(session);
      yield { type: 'harness_start', runId, agentId: id, ...(parentId !== undefined && { parentId }) };
      yield { type: 'session', runId, sessionId: session?.id ?? `${id}-${++begun}` };
      yield { type: 'text', runId, id: `${runId}/t`, content: 'said' };
      yield { type: 'usage', runId, inputTokens: 10, outputTokens: 1, cacheReadTokens: 4 };
      yield { type: 'harness_end', runId, agentId: id, reason: 'complete' };
    },
  };
  return { agent, seen };
}

/** What so many runs used. */
const used = (runs: number) => ({ inputTokens: 10 * runs, outputTokens: runs, cacheReadTokens: 4 * runs });

async function setUp() {
  const log = new MemoryLog();
  const { id: threadId } = await log.createThread();
  const supervisor = new Supervisor({ log });
  const say = async (agent: Agent, content: string, edits?: string) => {
    const run = await supervisor.start(threadId, { agent, content, ...(edits !== undefined && { edits }) });
    await run.done;
    const events = await log.read(threadId);
    return `${events.findLast(event => event.type === 'user')?.runId}:user`;
  };
  return { say, supervisor, threadId };
}

describe('the session of a run', () => {
  it('is the newest of its agent, which holds all messages up to its last run', async () => {
    const { say } = await setUp();
    const one = withSessions('one');
    const other = withSessions('other');
    await say(one.agent, 'a');
    await say(one.agent, 'b');
    await say(other.agent, 'c');
    await say(one.agent, 'd');
    expect(one.seen).toEqual([
      undefined,
      { id: 'one-1', known: 2, used: used(1) },
      { id: 'one-1', known: 4, used: used(2) },
    ]);
    expect(other.seen).toEqual([undefined]);
  });

  it('is none in another folder than the one it was used in', async () => {
    const { say, supervisor, threadId } = await setUp();
    const { agent, seen } = withSessions('one');
    await say(agent, 'a');
    const moved = await supervisor.start(threadId, { agent, content: 'b', folder: { folder: '/elsewhere' } });
    await moved.done;
    await say(agent, 'c');
    expect(seen.map(session => session?.id)).toEqual([undefined, undefined, 'one-2']);
  });

  it('is none after an edit of a message it holds, and then the new one', async () => {
    const { say } = await setUp();
    const { agent, seen } = withSessions('one');
    await say(agent, 'a');
    const second = await say(agent, 'b');
    await say(agent, 'b, better', second);
    await say(agent, 'c');
    expect(seen).toEqual([
      undefined,
      { id: 'one-1', known: 2, used: used(1) },
      undefined,
      { id: 'one-2', known: 4, used: used(1) },
    ]);
  });

  it('is that of the branch again when the branch is selected', async () => {
    const { say, supervisor, threadId } = await setUp();
    const { agent, seen } = withSessions('one');
    const first = await say(agent, 'a');
    await say(agent, 'other', first);
    await supervisor.select(threadId, first);
    await say(agent, 'b');
    expect(seen.at(-1)).toEqual({ id: 'one-1', known: 2, used: used(1) });
  });

  it('reports the usage of its own runs, not that of their subagents', async () => {
    const { say } = await setUp();
    const seen: ConversationParams['session'][] = [];
    const agent: Agent = {
      id: 'one',
      async *invoke({ run: { runId, parentId }, conversation: { session } }) {
        seen.push(session);
        const child = { runId: `${runId}/child`, agentId: 'child' };
        yield { type: 'harness_start', runId, agentId: 'one', ...(parentId !== undefined && { parentId }) };
        yield { type: 'session', runId, sessionId: 's' };
        yield { type: 'tool_call', runId, id: `${runId}/call`, name: 'Task', input: {} };
        yield { type: 'harness_start', ...child, parentId: `${runId}/call` };
        yield { type: 'usage', runId: child.runId, inputTokens: 500, outputTokens: 50 };
        yield { type: 'harness_end', ...child, reason: 'complete' };
        yield { type: 'tool_result', runId, id: `${runId}/call`, name: 'Task', output: { context: '' } };
        yield { type: 'usage', runId, inputTokens: 10, outputTokens: 1 };
        yield { type: 'usage', runId, inputTokens: 5, outputTokens: 2, reasoningTokens: 1 };
        yield { type: 'usage', runId, agentId: 'one/subagents', inputTokens: 500, outputTokens: 50 };
        yield { type: 'harness_end', runId, agentId: 'one', reason: 'complete' };
      },
    };
    await say(agent, 'a');
    await say(agent, 'b');
    expect(seen.at(-1)?.used).toEqual({ inputTokens: 15, outputTokens: 3, reasoningTokens: 1 });
  });

  it('has no usage when its runs reported none', async () => {
    const { say } = await setUp();
    const { agent, seen } = withSessions('one');
    const silent: Agent = {
      id: 'one',
      async *invoke(params) {
        for await (const event of agent.invoke(params)) if (event.type !== 'usage') yield event;
      },
    };
    await say(silent, 'a');
    await say(silent, 'b');
    expect(seen.at(-1)?.used).toEqual({ inputTokens: 0, outputTokens: 0 });
  });
});
