import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../src/agents/index.ts';
import { newId } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import {
  type AgUiClient,
  type AgUiPeers,
  agUiClientsReady,
  type HttpAgent,
  loadAgUiPeers,
  textIn,
  type WireEvent,
} from '../support/ag-ui-clients.ts';
import { scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const paint = {
  name: 'paint',
  description: 'paints the page',
  parameters: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
};
const call = (id: string, name: string, input: object) => ({ toolCall: { id, name, input } });
const clock = defineTool({
  name: 'clock',
  description: 'tells the time',
  input: z.object({}),
  execute: () => ({ context: 'noon' }),
});

/** What the models of the agents were sent, oldest first. */
const sent: string[] = [];
const painter = loopAgent({
  id: 'painter',
  instructions: 'You paint.',
  model: scriptedModel(({ step, messages, toolNames, lastUserText }) => {
    sent.push(JSON.stringify({ toolNames, messages }));
    if (lastUserText !== 'paint') return `You said: ${lastUserText}`;
    return step === 0
      ? { parts: [{ text: 'A moment.' }, call('c1', 'paint', { colour: 'red' }), call('c2', 'clock', {})] }
      : 'Painted.';
  }),
  tools: [clock],
  permissions: { default: 'ask', rules: [{ tool: 'clock', policy: 'allow' }] },
});
const echo = scriptedAgent('echo', async function* ({ event }) {
  yield event('text', { id: 't', content: 'Hello.' });
});
const agents = [painter, echo];

const shown = ({ messages }: HttpAgent) =>
  messages.map(message => {
    const calls = (message.toolCalls ?? []).map(({ function: { name } }) => ` [${name}]`);
    return `${message.role}: ${textIn(message)}${calls.join('')}`;
  });
const callOf = ({ messages }: HttpAgent, tool: string) =>
  messages.flatMap(({ toolCalls = [] }) => toolCalls).find(each => each.function.name === tool)?.id as string;

describe.skipIf(!agUiClientsReady('tools of AG-UI clients'))('tools and context of an AG-UI client', () => {
  let peers: AgUiPeers;
  let server: TestServer;
  beforeAll(async () => {
    peers = await loadAgUiPeers();
    server = await startTestServer(agents);
  }, 300_000);
  afterAll(() => server?.close());

  describe.each([0, 1])('with the real client (0: 1.0.0, 1: 0.0.59): %i', index => {
    const open = (threadId: string = newId(), url = server.url) => {
      const agent = (peers.clients[index] as AgUiClient).open({ url, agentId: 'painter', threadId });
      const events: WireEvent[] = [];
      const run = (more: { tools?: unknown[]; context?: unknown[] } = { tools: [paint] }) =>
        agent.runAgent(more, { onEvent: ({ event }) => void events.push(event) });
      const say = (content: string, more?: Parameters<typeof run>[0]) => {
        agent.addMessage({ id: newId(), role: 'user', content });
        return run(more);
      };
      const answer = (content: string, more: object = {}) =>
        agent.addMessage({ id: newId(), role: 'tool', toolCallId: callOf(agent, 'paint'), content, ...more });
      return { agent, threadId, events, run, say, answer };
    };
    const painted = [
      'user: paint',
      'assistant: A moment. [paint] [clock]',
      'tool: noon',
      'tool: all red',
      'assistant: Painted.',
    ];

    it('ends the run with a call of its tool, and continues with the result that it brings', async () => {
      const { agent, events, say, run, answer } = open();
      await say('paint');
      const outcome = { type: 'success', ...(index === 0 && { pendingToolCallIds: [callOf(agent, 'paint')] }) };
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome });
      expect(agent.pendingInterrupts).toEqual([]);
      answer('all red');
      await run();
      expect(shown(agent)).toEqual(painted);
      expect(sent.at(-1)).toContain('all red');
      await say('thanks');
      expect(shown(agent).slice(-2)).toEqual(['user: thanks', 'assistant: You said: thanks']);
      expect(events.map(({ type }) => type)).not.toContain('MESSAGES_SNAPSHOT');
    });

    it('gives the model the failure of its tool', async () => {
      const { agent, say, run, answer } = open();
      await say('paint');
      answer('', { error: 'The page has no colours.' });
      await run();
      expect(sent.at(-1)).toContain('The page has no colours.');
      expect(shown(agent).at(-1)).toBe('assistant: Painted.');
    });

    it('may bring the result with the next message of the person', async () => {
      const { agent, say, answer } = open();
      await say('paint');
      answer('all red');
      await say('and now?');
      expect(shown(agent).join('\n')).toContain('and now?');
      expect(sent.at(-1)).toContain('all red');
      expect(sent.at(-1)).toContain('and now?');
    });

    it('is refused a message while the call has no result', async () => {
      const { events, say } = open();
      await say('paint');
      await say('and now?');
      expect(events.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'pending_interrupts' });
    });

    it('continues after a restart of the server between call and result', async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'ag-ui-')), 'log.db');
      const start = async () => {
        const started = await startTestServer(agents, { log: new SqliteLog(path, { pollMs: 5 }) });
        await started.control.recover();
        return started;
      };
      const first = await start();
      const before = open(undefined, first.url);
      await before.say('paint');
      await first.close();
      const second = await start();
      try {
        const after = open(before.threadId, second.url);
        after.agent.setMessages(before.agent.messages);
        after.answer('all red');
        await after.run();
        expect(shown(after.agent)).toEqual(painted);
        expect(sent.at(-1), 'the tool is still offered').toContain('"toolNames":["clock","paint"]');
      } finally {
        await second.close();
      }
    });

    it('gives the model its context in this run only, after the instructions of the agent', async () => {
      const { say } = open();
      await say('hello', { context: [{ description: 'The open document', value: 'harbour.txt' }] });
      expect(sent.at(-1)).toMatch(/You paint\.[^"]*The open document:\\n+harbour\.txt/);
      await say('again', {});
      expect(sent.at(-1)).not.toContain('harbour.txt');
      expect(sent.at(-1)).toContain('"toolNames":["clock"]');
    });

    it('cannot replace a tool of the agent', async () => {
      const { say, agent, events } = open();
      await say('paint', { tools: [paint, { ...paint, name: 'clock' }] });
      expect(shown(agent)).toContain('tool: noon');
      expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED' });
      expect(sent.at(-1)).toContain('"toolNames":["clock","paint"]');
    });
  });

  it.each([
    ['tools', { tools: [paint] }],
    ['context', { context: [{ description: 'a', value: 'b' }] }],
  ])('refuses %s for an agent that cannot use them', async (what, more) => {
    const body = { threadId: newId(), runId: 'r', messages: [{ id: 'u', role: 'user', content: 'hi' }], ...more };
    const response = await fetch(`${server.url}/api/ag-ui/agent/echo/run`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect([response.status, await response.json()]).toMatchObject([
      501,
      { code: 'not_supported', detail: expect.stringContaining(`cannot use ${what} of a client`) },
    ]);
  });

  describe('with CopilotKit', () => {
    beforeAll(() => void vi.stubGlobal('window', globalThis));
    afterAll(() => void vi.unstubAllGlobals());

    it('executes a frontend tool in the page, and the agent continues with its result', async () => {
      const handler = vi.fn(async ({ colour }: { colour: string }) => `all ${colour}`);
      const core = new peers.CopilotKitCore({
        runtimeUrl: `${server.url}/api/ag-ui`,
        runtimeTransport: 'rest',
        tools: [
          { name: 'paint', description: paint.description, parameters: z.object({ colour: z.string() }), handler },
        ],
      });
      const agent = await vi.waitFor(() => core.getAgent('painter') ?? expect.fail('no agent'), { timeout: 20_000 });
      agent.threadId = newId();
      agent.addMessage({ id: newId(), role: 'user', content: 'paint' });
      await core.runAgent({ agent });
      expect(handler).toHaveBeenCalledTimes(1);
      expect(shown(agent)).toEqual([
        'user: paint',
        'assistant: A moment. [paint] [clock]',
        expect.stringMatching(/^tool: (noon|all red)$/),
        expect.stringMatching(/^tool: (noon|all red)$/),
        'assistant: Painted.',
      ]);
    });
  });
});
