import type { Client } from '@modelcontextprotocol/client';
import type { Agent } from '../../src/agents/contract/agent.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClientOptions, type Era, type McpScene, startMcpScene, useTool } from '../support/mcp-clients.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';

const helper = scriptedAgent('helper', async function* ({ event }) {
  yield event('step_start', { step: 1 });
  yield event('tool_call', { id: 'c1', name: 'bash', input: { command: 'npm test tell-no-one' } });
  yield event('tool_result', { id: 'c1', name: 'bash', output: { context: 'ok' } });
  yield event('text', { id: 't1', content: 'All tests pass.' });
});
const asker = scriptedAgent('asker', async function* ({ event, answer, params }) {
  const id = `${params.run.runId}/ask`;
  yield event('relay', {
    id,
    relayKind: 'permission',
    toolCallId: 'c',
    tool: 'shell',
    params: {},
    command: 'rm -rf tell-no-one',
  });
  const { outcome, by } = await answer(id);
  yield event('text', { id: 't1', content: `${outcome} by ${by ?? 'nobody'}` });
});

let scene: McpScene | undefined;
afterEach(async () => {
  await scene?.close();
  scene = undefined;
});

type Connect = (options?: ClientOptions) => Promise<Client>;

const combinations: readonly [string, Era][] = [
  ['a channel', 'legacy'],
  ['a channel', 'modern'],
  ['HTTP', 'legacy'],
  ['HTTP', 'modern'],
];

describe.each(combinations)('over %s, in the %s era', (transport, era) => {
  async function setUp(...more: Agent[]): Promise<{ connect: Connect; scene: McpScene }> {
    const started = (scene = await startMcpScene([helper, asker, ...more], { secrets: ['tell-no-one'] }));
    return {
      scene: started,
      connect: options => (transport === 'HTTP' ? started.overHttp(era, options) : started.overChannel(era, options)),
    };
  }

  it('runs an agent with progress, then lists, finds and reads what it said', async () => {
    const { connect } = await setUp();
    const client = await connect();
    expect(client.getInstructions()).toContain('Singletree');
    const seen: unknown[] = [];
    const run = await useTool(
      client,
      'agent_run',
      { agent: 'helper', prompt: 'Check the tell-no-one periwinkle' },
      { onprogress: ({ message }) => void seen.push(message) },
    );
    expect(run).toMatchObject({ status: 'finished', outcome: 'complete', text: 'All tests pass.' });
    expect(seen).toEqual(['step 1', 'Running npm test [redacted]']);
    const { threadId, runId } = run as { threadId: string; runId: string };
    expect(await useTool(client, 'run_status', { threadId, runId })).toEqual(run);
    expect(await useTool(client, 'thread_list', { query: 'periwinkle' })).toMatchObject({
      threads: [{ threadId, agent: 'helper', state: 'done', title: 'Check the [redacted] periwinkle' }],
    });
    expect(await useTool(client, 'thread_list', { agent: 'asker' })).toEqual({ threads: [] });
    const found = await client.callTool({ name: 'thread_search', arguments: { query: 'tests pass' } });
    expect(found.structuredContent).toMatchObject({ hits: [{ threadId, agent: 'helper' }], isComplete: true });
    expect(found.content).toContainEqual(
      expect.objectContaining({ type: 'resource_link', uri: `singletree://threads/${threadId}` }),
    );
    const page = await useTool(client, 'thread_read', { threadId });
    expect(page['text']).toMatch(
      /## (tester|mcp)[^]*Check the \[redacted\] periwinkle[^]*## helper[^]*All tests pass\./,
    );
    const events = await useTool(client, 'thread_read', { threadId, format: 'events', from: 2, limit: 1 });
    expect(events).toMatchObject({ firstSeq: 2, lastSeq: 2, next: 3 });
    expect(JSON.parse(String(events['text']))).toMatchObject({ seq: 2 });
  });

  it('offers threads and the inbox as resources, and prompts about threads', async () => {
    const { connect } = await setUp();
    const client = await connect();
    const run = await useTool(client, 'agent_run', { agent: 'helper', prompt: 'Say tell-no-one' });
    const { threadId, runId } = run as { threadId: string; runId: string };
    const uri = `singletree://threads/${threadId}`;
    const { resources } = await client.listResources();
    expect(resources.map(each => each.uri)).toEqual(['singletree://threads', 'singletree://inbox', uri]);
    const read = async (of: string) => (await client.readResource({ uri: of })).contents[0] as { text: string };
    expect(JSON.parse((await read('singletree://threads')).text)).toMatchObject({ threads: [{ threadId }] });
    expect(JSON.parse((await read('singletree://inbox')).text)).toEqual({ relays: [] });
    expect((await read(uri)).text).toContain('# Say [redacted]');
    const lines = (await read(`${uri}/events`)).text.trim().split('\n');
    expect(lines.map(line => (JSON.parse(line) as { seq: number }).seq)).toEqual(lines.map((_, at) => at + 1));
    await expect(read('singletree://threads/unknown')).rejects.toThrow(
      /There is no thread "unknown".*thread_not_found/,
    );
    const { messages } = await client.getPrompt({ name: 'review_run', arguments: { thread: threadId, run: runId } });
    expect(JSON.stringify(messages)).toMatch(/Review what helper did.*All tests pass/);
    const continued = await client.getPrompt({ name: 'continue', arguments: { thread: threadId } });
    expect(JSON.stringify(continued)).toMatch(/Continue the work.*Say \[redacted\]/);
  });

  it('returns the ids of a run that takes long, waits for it, writes to it and stops it', async () => {
    const started = gate();
    const slow = scriptedAgent('slow', async function* ({ event, until }) {
      yield event('text', { id: 't', content: 'Working.' });
      started.open();
      await until(new Promise(() => {}));
    });
    const { connect } = await setUp(slow);
    const client = await connect();
    const run = await useTool(client, 'agent_run', { agent: 'slow', prompt: 'Go', wait: 0 });
    expect(run).toMatchObject({ status: 'running' });
    await started.opened;
    const { threadId, runId } = run as { threadId: string; runId: string };
    await expect(useTool(client, 'agent_run', { agent: 'slow', prompt: 'Go', threadId })).rejects.toThrow(
      'run_under_way',
    );
    const sent = await useTool(client, 'run_send', { threadId, message: 'Also this', delivery: 'follow_up' });
    expect(sent).toEqual({ threadId, runId, queued: true });
    const waiting = useTool(client, 'run_wait', { threadId, runId });
    const stopped = await useTool(client, 'run_stop', { threadId, runId });
    expect(stopped).toMatchObject({ status: 'finished', outcome: 'aborted', text: 'Working.' });
    expect(await waiting).toMatchObject({ outcome: 'aborted' });
    await expect(useTool(client, 'run_stop', { threadId, runId })).rejects.toThrow('run_not_found');
  });

  it('lets a person decide what a run asks, and another agent, but not the agent that asked for the run', async () => {
    const { connect, scene: started } = await setUp();
    const asked: string[] = [];
    const client = await connect({
      person: message => {
        asked.push(message);
        return { action: 'accept', content: { outcome: 'approve' } };
      },
    });
    const run = await useTool(client, 'agent_run', { agent: 'asker', prompt: 'Clean up' });
    expect(run).toMatchObject({
      status: 'waiting',
      pending: [{ kind: 'permission', answers: ['approve', 'reject', 'revise'] }],
    });
    const { threadId, runId } = run as { threadId: string; runId: string };
    const { relays } = (await useTool(client, 'inbox_list')) as { relays: { relayId: string; question: string }[] };
    expect(relays).toMatchObject([{ threadId, runId, question: 'Run this command? (shell)\nrm -rf [redacted]' }]);
    const relayId = relays[0]?.relayId ?? '';
    await expect(useTool(client, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow(
      /You asked for this run.*request_forbidden/,
    );
    if (transport === 'HTTP' && era === 'legacy') {
      // It has no way to ask: another agent answers.
      await expect(useTool(client, 'inbox_answer', { relayId })).rejects.toThrow();
      const other = await started.overChannel('modern', { name: 'reviewer' });
      expect(await useTool(other, 'inbox_answer', { relayId, outcome: 'reject' })).toMatchObject({ by: 'reviewer' });
    } else {
      const answered = await useTool(client, 'inbox_answer', { relayId });
      expect(answered).toEqual({ relayId, threadId, status: 'answered', outcome: 'approve', by: 'person at tester' });
      expect(asked).toEqual(['Run this command? (shell)\nrm -rf [redacted]']);
    }
    expect(await useTool(client, 'run_wait', { threadId, runId })).toMatchObject({
      status: 'finished',
      text: expect.stringMatching(/^(approve by person at tester|reject by reviewer)$/) as string,
    });
    await expect(useTool(client, 'inbox_answer', { relayId, outcome: 'approve' })).rejects.toThrow('relay_not_found');
  });
});
