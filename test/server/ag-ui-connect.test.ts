import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../src/agents/index.ts';
import { newId } from '../../src/events/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import {
  type AgUiClient,
  type AgUiPeers,
  agUiClientsReady,
  type ClientMessage,
  type HttpAgent,
  loadAgUiPeers,
  textIn,
} from '../support/ag-ui-clients.ts';
import { isWholeRun } from '../support/run-size.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const shell = defineTool({
  name: 'shell',
  description: 'runs a command',
  input: z.object({ command: z.string() }),
  execute: ({ command }) => ({ context: `ran ${command} – fertig` }),
});
const asker = loopAgent({
  id: 'asker',
  model: scriptedModel(({ step }) =>
    step === 0
      ? { parts: [{ text: 'Darf ich? – ja?' }, { toolCall: { id: 'c1', name: 'shell', input: { command: 'make' } } }] }
      : 'Weiter.',
  ),
  tools: [shell],
  permissions: { default: 'ask', rules: [] },
});
let hold = gate();
const patient = scriptedAgent('patient', async function* ({ event, until }) {
  yield event('text', { id: 't', content: 'One, ' });
  await until(hold.opened);
  yield event('text', { id: 't', content: 'two.' });
});

const texts = ({ messages }: { messages: readonly ClientMessage[] }) =>
  messages.map(message => `${message.role}: ${textIn(message)}`);
const resumeAll = ({ pendingInterrupts }: HttpAgent) =>
  pendingInterrupts.map(({ id }) => ({ interruptId: id, status: 'resolved' as const, payload: { approved: true } }));

/** A busy machine takes its time. */
const soon = { timeout: 20_000 };

describe.skipIf(!agUiClientsReady('AG-UI clients that connect'))('a client of AG-UI that connects', () => {
  let peers: AgUiPeers;
  let server: TestServer;
  beforeAll(async () => {
    peers = await loadAgUiPeers();
    server = await startTestServer([asker, patient]);
  }, 300_000);
  afterAll(() => server?.close());

  describe.each([0, 1])('(0: 1.0.0, 1: 0.0.59) %i', index => {
    const open = (agentId: string, threadId: string, options: Partial<Parameters<AgUiClient['open']>[0]> = {}) =>
      (peers.clients[index] as AgUiClient).open({ url: server.url, agentId, threadId, ...options });

    it('gets the messages and the run under way, each once', async () => {
      hold = gate();
      const threadId = newId();
      const first = open('patient', threadId);
      first.addMessage({ id: 'u1', role: 'user', content: 'go' });
      const running = first.runAgent();
      await vi.waitFor(() => expect(texts(first)).toContain('assistant: One, '), soon);
      const second = open('patient', threadId, { verb: 'connect' });
      const connected = second.runAgent();
      await vi.waitFor(() => expect(texts(second)).toEqual(['user: go', 'assistant: One, ']), soon);
      hold.open();
      await Promise.all([running, connected]);
      expect(texts(second)).toEqual(['user: go', 'assistant: One, two.']);
      expect(second.messages.map(({ id }) => id)).toEqual(first.messages.map(({ id }) => id));
      await second.runAgent();
      expect(texts(second)).toEqual(texts(first));
    });

    it('gets nothing of a thread that is unknown', async () => {
      const agent = open('patient', newId(), { verb: 'connect' });
      agent.addMessage({ id: 'greeting', role: 'assistant', content: 'Hi!' });
      await agent.runAgent();
      expect(texts(agent)).toEqual(['assistant: Hi!']);
    });

    it('gets what is asked, and answers it', async () => {
      const threadId = newId();
      const first = open('asker', threadId);
      first.addMessage({ id: 'u1', role: 'user', content: 'go' });
      await first.runAgent();
      const second = open('asker', threadId, { verb: 'connect' });
      await second.runAgent();
      expect(second.pendingInterrupts).toMatchObject([{ reason: 'tool_call' }]);
      expect(texts(second)).toEqual(texts(first));
      const third = open('asker', threadId);
      third.setMessages(second.messages);
      third.pendingInterrupts = second.pendingInterrupts;
      await third.runAgent({ resume: resumeAll(third) });
      await second.runAgent({ resume: resumeAll(second) });
      expect(texts(third)).toEqual([
        'user: go',
        'assistant: Darf ich? – ja?',
        'tool: ran make – fertig',
        'assistant: Weiter.',
      ]);
      expect(second.messages.map(({ id }) => id)).toEqual(third.messages.map(({ id }) => id));
    });

    it('has everything once, wherever its stream was cut', async () => {
      const threadId = newId();
      const bytes: Uint8Array[] = [];
      const record = async (url: string, init: RequestInit) => {
        const response = await fetch(url, init);
        bytes.push(new Uint8Array(await response.clone().arrayBuffer()));
        return response;
      };
      const whole = open('asker', threadId, { fetch: record });
      whole.addMessage({ id: 'u1', role: 'user', content: 'go' });
      await whole.runAgent();
      const { messages: asked, pendingInterrupts } = whole;
      await whole.runAgent({ resume: resumeAll(whole) });
      const [before = new Uint8Array(), after = new Uint8Array()] = bytes;
      const quiet = vi.spyOn(console, 'error').mockImplementation(() => {});
      // The clients take turns: together they are cut at every byte.
      const step = isWholeRun ? 2 : 24;
      const states = new Map<string, ClientMessage[]>();
      const cutAt = async (stream: Uint8Array, end: number, prepare: (agent: HttpAgent) => object) => {
        const cut = open('asker', threadId, {
          fetch: () =>
            Promise.resolve(new Response(stream.slice(0, end), { headers: { 'content-type': 'text/event-stream' } })),
        });
        await cut.runAgent(prepare(cut)).catch(() => {});
        // Cuts that leave the client with the same messages are one case for the server.
        states.set(JSON.stringify(cut.messages), cut.messages);
      };
      const connected = open('asker', threadId, { verb: 'connect' });
      await connected.runAgent();
      expect(texts(connected)).toEqual(texts(whole));
      for (let end = index; end <= before.length; end += step)
        await cutAt(before, end, agent => {
          agent.setMessages([{ id: 'u1', role: 'user', content: 'go' }]);
          return {};
        });
      for (let end = index; end <= after.length; end += step)
        await cutAt(after, end, agent => {
          agent.setMessages(asked);
          agent.pendingInterrupts = pendingInterrupts;
          return { resume: resumeAll(agent) };
        });
      quiet.mockRestore();
      expect(states.size).toBeGreaterThan(5);
      // A connection that the server closed meanwhile fails once.
      await vi.waitFor(async () => (await fetch(`${server.url}/healthz`)).text(), soon);
      for (const messages of states.values()) {
        const again = open('asker', threadId, { verb: 'connect' });
        again.setMessages(messages);
        await again.runAgent();
        expect(again.messages).toEqual(connected.messages);
      }
    }, 120_000);
  });

  describe('CopilotKit', () => {
    beforeAll(() => void vi.stubGlobal('window', {}));
    afterAll(() => void vi.unstubAllGlobals());

    const openCore = async (agentId: string, threadId: string) => {
      const core = new peers.CopilotKitCore({ runtimeUrl: `${server.url}/api/ag-ui`, runtimeTransport: 'rest' });
      const agent = await vi.waitFor(() => {
        const found = core.getAgent(agentId);
        expect(found).toBeDefined();
        return found as HttpAgent;
      }, soon);
      agent.threadId = threadId;
      return { core, agent };
    };

    it('lists the agents, runs one, is asked, connects again and goes on', async () => {
      const threadId = newId();
      const { core, agent } = await openCore('asker', threadId);
      expect(Object.keys(core.agents)).toEqual(['asker', 'patient']);
      agent.addMessage({ id: 'u1', role: 'user', content: 'go' });
      await core.runAgent({ agent });
      expect(agent.pendingInterrupts).toHaveLength(1);
      const reloaded = await openCore('asker', threadId);
      await reloaded.core.connectAgent({ agent: reloaded.agent });
      expect(texts(reloaded.agent)).toEqual(texts(agent));
      expect(reloaded.agent.pendingInterrupts).toHaveLength(1);
      await reloaded.core.runAgent({ agent: reloaded.agent, resume: resumeAll(reloaded.agent) });
      expect(texts(reloaded.agent).at(-1)).toBe('assistant: Weiter.');
      expect(texts(reloaded.agent)).toHaveLength(4);
    });

    it('stops a run', async () => {
      hold = gate();
      const threadId = newId();
      const { core, agent } = await openCore('patient', threadId);
      agent.addMessage({ id: 'u1', role: 'user', content: 'go' });
      const running = core.runAgent({ agent });
      await vi.waitFor(() => expect(texts(agent)).toContain('assistant: One, '), soon);
      core.stopAgent({ agent });
      await running;
      await vi.waitFor(() => expect(server.control.running()).toEqual([]), soon);
    });
  });
});
