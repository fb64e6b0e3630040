import { afterEach, describe, expect, it, vi } from 'vitest';
import { runMark, runVariable } from '../../src/agents/process/process-marks.ts';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { runHeader } from '../../src/control/conversations/inside-run.ts';
import { listOpenRuns } from '../../src/control/supervision/open-runs.ts';
import type { EventLog, Thread } from '../../src/log/index.ts';
import { type McpScene, startMcpScene, useTool } from '../support/mcp-clients.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { ask } from '../server/http.ts';

const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('session', { sessionId: `session-of-${params.run.runId}` });
  yield event('tool_call', { id: `${params.run.runId}/call`, name: 'shell', input: {} });
  yield event('relay', { id, relayKind: 'permission', toolCallId: 'c', tool: 'shell', params: {} });
  const { outcome } = await answer(id);
  yield event('text', { id: 't1', content: outcome });
});
const echo = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'echo' });
});

let scene: McpScene | undefined;
afterEach(async () => {
  vi.unstubAllEnvs();
  await scene?.close();
  scene = undefined;
});
const start = async (agents: readonly Agent[] = [asker, echo], options: Parameters<typeof startMcpScene>[1] = {}) =>
  (scene = await startMcpScene(agents, options));

/** Starts a run that a person asked for, and waits until it asks. */
async function waitingRun({ site, log }: McpScene, resourceId = 'default') {
  const { id } = await log.createThread({ resourceId });
  const { runId } = await site.conversations.start(id, { content: 'Go', agent: 'asker' });
  for await (const event of log.tail(id)) if (event.type === 'relay') break;
  return { threadId: id, runId, relayId: `${runId}/ask` };
}

async function markOf(log: EventLog, threadId: string): Promise<string> {
  const thread = (await log.getThread(threadId)) as Thread;
  const [run] = listOpenRuns(thread);
  return runMark(run?.owner, threadId, run?.runId ?? '');
}

const names = async (client: Awaited<ReturnType<McpScene['overHttp']>>) =>
  (await client.listTools()).tools.map(({ name }) => name);
const reading = ['thread_list', 'thread_search', 'thread_read', 'run_status', 'run_wait', 'inbox_list'];

describe('what a client may do', () => {
  it.each([
    [[], reading],
    [['run'], [...reading, 'agent_list', 'agent_run', 'run_stop', 'run_send']],
    [['answer'], [...reading, 'inbox_answer']],
  ] as const)('is reading and what is granted: %j', async (allow, expected) => {
    const { overHttp, overChannel } = await start([echo], { mcpAllow: [...allow] });
    for (const client of [await overHttp('modern'), await overHttp('legacy'), await overChannel('legacy')])
      expect(new Set(await names(client))).toEqual(new Set(expected));
    const refused = await (await overHttp('modern'))
      .callTool({ name: allow[0] === 'run' ? 'inbox_answer' : 'agent_run', arguments: {} })
      .catch((error: Error) => error);
    expect(refused instanceof Error ? refused.message : JSON.stringify(refused.content)).toMatch(/not found|Unknown/i);
  });

  it('describes to models which tools only read', async () => {
    const { overChannel } = await start([echo]);
    const { tools } = await (await overChannel('modern')).listTools();
    const readers = tools.filter(({ annotations }) => annotations?.readOnlyHint).map(({ name }) => name);
    expect(new Set(readers)).toEqual(new Set([...reading, 'agent_list']));
    for (const { inputSchema, outputSchema } of tools) {
      expect(inputSchema.additionalProperties).toBe(false);
      expect(outputSchema?.type).toBe('object');
    }
  });
});

describe('the threads of others', () => {
  const tokens = [
    { token: 'token-of-ann', name: 'ann', resourceId: 'ann' },
    { token: 'token-of-bob', name: 'bob', resourceId: 'bob' },
  ];

  it('are not seen, written to, stopped or answered with a token of another resource', async () => {
    const { overHttp, log, ...rest } = await start([asker, echo], { tokens });
    const { threadId, runId, relayId } = await waitingRun({ log, overHttp, ...rest }, 'ann');
    const [ann, bob] = [
      await overHttp('modern', { token: 'token-of-ann' }),
      await overHttp('legacy', { token: 'token-of-bob' }),
    ];
    expect(await useTool(ann, 'thread_read', { threadId })).toMatchObject({ threadId });
    expect(await useTool(ann, 'inbox_list')).toMatchObject({ relays: [{ relayId }] });
    const mine = await useTool(bob, 'agent_run', { agent: 'echo', prompt: 'mine' });
    expect((await log.getThread(String(mine['threadId'])))?.resourceId).toBe('bob');
    expect(await useTool(bob, 'thread_list')).toMatchObject({ threads: [{ threadId: mine['threadId'] }] });
    expect(await useTool(bob, 'thread_search', { query: 'Go' })).toMatchObject({ hits: [] });
    expect(await useTool(bob, 'inbox_list')).toEqual({ relays: [] });
    for (const [tool, input] of [
      ['thread_read', { threadId }],
      ['run_status', { threadId, runId }],
      ['run_wait', { threadId, runId }],
      ['run_stop', { threadId, runId }],
      ['run_send', { threadId, message: 'hi' }],
      ['agent_run', { agent: 'echo', prompt: 'hi', threadId }],
    ] as const)
      await expect(useTool(bob, tool, input), tool).rejects.toThrow('thread_not_found');
    await expect(useTool(bob, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow('relay_not_found');
    for (const uri of [`singletree://threads/${threadId}`, `singletree://threads/${threadId}/events`])
      await expect(bob.readResource({ uri })).rejects.toThrow('thread_not_found');
    await expect(bob.getPrompt({ name: 'continue', arguments: { thread: threadId } })).rejects.toThrow(
      'thread_not_found',
    );
  });

  it('need a token, a known host and a known origin', async () => {
    const { url } = await start([echo], { tokens });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const accept = 'application/json, text/event-stream';
    const post = (headers: Record<string, string>) =>
      ask(url, '/mcp', { method: 'POST', body, headers: { accept, ...headers } });
    const authorization = 'Bearer token-of-ann';
    expect((await post({})).status).toBe(401);
    expect((await post({ authorization: 'Bearer wrong-token' })).status).toBe(401);
    expect((await post({ authorization, host: 'evil.example' })).status).toBe(403);
    expect((await post({ authorization, origin: 'https://evil.example' })).status).toBe(403);
    expect((await post({ authorization })).status).toBe(200);
    expect(await ask(url, '/mcp', { headers: { authorization, accept: 'text/event-stream' } })).toMatchObject({
      status: 405,
    });
  });

  it('of another folder are hidden, by default those of all but one', async () => {
    const { overChannel, log } = await start();
    const make = async (cwd: string, title: string) => (await log.createThread({ title, metadata: { cwd } })).id;
    const [here, there] = [await make(process.cwd(), 'here it is'), await make('/elsewhere', 'there it is')];
    const client = await overChannel('modern', { folder: process.cwd() });
    expect(await useTool(client, 'thread_list')).toMatchObject({ threads: [{ threadId: here }] });
    expect(await useTool(client, 'thread_search', { query: 'it is' })).toMatchObject({ hits: [{ threadId: here }] });
    await expect(useTool(client, 'thread_read', { threadId: there })).rejects.toThrow(
      /of this folder.*--all.*thread_not_found/,
    );
    await expect(useTool(client, 'run_send', { threadId: there, message: 'hi' })).rejects.toThrow('thread_not_found');
    const run = await useTool(client, 'agent_run', { agent: 'echo', prompt: 'new' });
    expect((await log.getThread(String(run['threadId'])))?.metadata).toMatchObject({ cwd: process.cwd() });
    const all = await overChannel('modern');
    expect(await useTool(all, 'thread_list', { folder: '/elsewhere' })).toMatchObject({
      threads: [{ threadId: there }],
    });
  });
});

describe('an approval is never answered from inside the run it guards', () => {
  const forbidden = /from inside the run itself.*request_forbidden/;

  it('by a process of the run', async () => {
    const started = await start();
    const { threadId, relayId } = await waitingRun(started);
    const client = await started.overChannel('legacy', {
      person: () => ({ action: 'accept', content: { outcome: 'approve' } }),
    });
    vi.stubEnv(runVariable, await markOf(started.log, threadId));
    await expect(useTool(client, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow(forbidden);
    await expect(useTool(client, 'inbox_answer', { relayId })).rejects.toThrow(forbidden);
    await expect(useTool(client, 'run_send', { threadId, message: 'go on' })).rejects.toThrow(forbidden);
    await expect(useTool(client, 'agent_run', { agent: 'echo', prompt: 'go', threadId })).rejects.toThrow(forbidden);
  });

  it('by a client of HTTP that states the run', async () => {
    const started = await start();
    const { threadId, relayId } = await waitingRun(started);
    const client = await started.overHttp('modern', { headers: { [runHeader]: await markOf(started.log, threadId) } });
    await expect(useTool(client, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow(forbidden);
  });

  it.each([
    ['the session of Codex', (runId: string) => ({ threadId: `session-of-${runId}`, callId: 'x' })],
    ['the turn of Codex', (runId: string) => ({ 'x-codex-turn-metadata': { session_id: `session-of-${runId}` } })],
    ['the call of Claude Code', () => ({ 'claudecode/toolUseId': 'call' })],
  ])('by %s in the metadata of the call', async (_, meta) => {
    const started = await start();
    const { runId, relayId } = await waitingRun(started);
    for (const client of [await started.overHttp('legacy'), await started.overChannel('modern')])
      await expect(
        useTool(client, 'inbox_answer', { relayId, outcome: 'approve' }, { meta: meta(runId) }),
      ).rejects.toThrow(forbidden);
  });

  it('by a run that it started, nor by one that this one started', async () => {
    const started = await start();
    const { log } = started;
    const first = await waitingRun(started);
    const inFirst = await started.overHttp('modern', { headers: { [runHeader]: await markOf(log, first.threadId) } });
    const second = await useTool(inFirst, 'agent_run', { agent: 'asker', prompt: 'deeper' });
    const secondMark = await markOf(log, String(second['threadId']));
    const inSecond = await started.overHttp('modern', { headers: { [runHeader]: secondMark } });
    await expect(useTool(inSecond, 'inbox_answer', { relayId: first.relayId, outcome: 'approve' })).rejects.toThrow(
      forbidden,
    );
  });

  it('and from outside the first answer counts', async () => {
    const started = await start();
    const { threadId, runId, relayId } = await waitingRun(started);
    const clients = [
      await started.overChannel('modern'),
      await started.overHttp('legacy'),
      await started.overHttp('modern'),
    ];
    const results = await Promise.allSettled(
      clients.map((client, at) =>
        useTool(client, 'inbox_answer', { relayId, outcome: at === 0 ? 'approve' : 'reject' }),
      ),
    );
    const [won, ...others] = results.toSorted((a, b) => (a.status < b.status ? -1 : 1));
    expect(won?.status).toBe('fulfilled');
    for (const other of others)
      expect(String(other.status === 'rejected' && other.reason)).toMatch(/relay_resolved|relay_not_found/);
    const { outcome } = (won as PromiseFulfilledResult<{ outcome: string }>).value;
    const [client] = clients;
    expect(await useTool(client!, 'run_wait', { threadId, runId })).toMatchObject({ text: outcome });
  });
});

describe('the person at a client', () => {
  it.each(['decline', 'cancel'] as const)('is asked once: to %s is an answer', async action => {
    const started = await start();
    const { relayId, threadId } = await waitingRun(started);
    let asked = 0;
    const person = () => {
      asked++;
      return { action };
    };
    for (const client of [
      await started.overChannel('legacy', { person }),
      await started.overChannel('modern', { person }),
      await started.overHttp('modern', { person }),
    ]) {
      asked = 0;
      expect(await useTool(client, 'inbox_answer', { relayId })).toEqual({ relayId, threadId, status: 'declined' });
      expect(asked).toBe(1);
    }
    expect(await started.site.conversations.inbox.list()).toHaveLength(1);
  });
});

describe('agents that run agents', () => {
  it('end at a depth, whoever states it', async () => {
    const { overChannel, overHttp, log } = await start();
    vi.stubEnv(runVariable, 'a b c');
    expect(await useTool(await overChannel('modern'), 'agent_run', { agent: 'echo', prompt: 'hi' })).toMatchObject({
      status: 'finished',
    });
    vi.stubEnv(runVariable, 'a b c d');
    const tooDeep = /4 runs are around this one.*at most 3.*request_forbidden/;
    const client = await overChannel('modern');
    await expect(useTool(client, 'agent_run', { agent: 'echo', prompt: 'hi' })).rejects.toThrow(tooDeep);
    vi.unstubAllEnvs();
    const deep = await overHttp('modern', { headers: { [runHeader]: 'a b c d' } });
    await expect(useTool(deep, 'agent_run', { agent: 'echo', prompt: 'hi' })).rejects.toThrow(tooDeep);
    expect(await log.listThreads()).toHaveLength(1);
  });

  it('are counted by the sessions of their runs', async () => {
    const { overHttp, log } = await start();
    const client = await overHttp('legacy');
    let meta: Record<string, unknown> = {};
    for (let depth = 0; depth <= 3; depth++) {
      const run = await useTool(client, 'agent_run', { agent: 'asker', prompt: `${depth}` }, { meta });
      expect((await log.getThread(String(run['threadId'])))?.metadata['startedBy']).toMatchObject({ depth });
      meta = { sessionId: `session-of-${String(run['runId'])}` };
    }
    await expect(useTool(client, 'agent_run', { agent: 'asker', prompt: 'x' }, { meta })).rejects.toThrow('at most 3');
  });
});

describe('floods', () => {
  it('of calls and runs are refused with a clear error, and end with what caused them', async () => {
    const ended = gate();
    const held = scriptedAgent('held', async function* ({ event, until }) {
      yield event('text', { id: 't', content: 'held' });
      await until(ended.opened);
    });
    const { overChannel } = await start([held]);
    const client = await overChannel('modern');
    const runs = await Promise.allSettled(
      Array.from({ length: 12 }, () => useTool(client, 'agent_run', { agent: 'held', prompt: 'go', wait: 0 })),
    );
    const began = runs.flatMap(run => (run.status === 'fulfilled' ? [run.value] : []));
    expect(began).toHaveLength(8);
    for (const run of runs)
      if (run.status === 'rejected') expect(String(run.reason)).toMatch(/8 runs are under way.*too_many_calls/);
    const [{ threadId, runId } = {}] = began;
    const calls = Array.from({ length: 40 }, () => useTool(client, 'run_wait', { threadId, runId }));
    const refused = await Promise.race(calls.map(call => call.then(() => '', String)));
    expect(refused).toMatch(/32 calls are being answered.*too_many_calls/);
    ended.open();
    const settled = await Promise.allSettled(calls);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(32);
    expect(await useTool(client, 'agent_run', { agent: 'held', prompt: 'again' })).toMatchObject({
      status: 'finished',
    });
  });
});
