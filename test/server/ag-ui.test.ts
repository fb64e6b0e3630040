import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentTool, defineTool, loopAgent } from '../../src/agents/index.ts';
import { askUserLoopTool } from '../../src/agents/tools/people/ask-user.ts';
import { newId } from '../../src/events/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { type ModelScript, scriptedModel } from '../../src/testing/index.ts';
import {
  type AgUiClient,
  type AgUiPeers,
  agUiClientsReady,
  type HttpAgent,
  loadAgUiPeers,
  textIn,
  type WireEvent,
} from '../support/ag-ui-clients.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const executed: string[] = [];
const shell = defineTool({
  name: 'shell',
  description: 'runs a command',
  input: z.object({ command: z.string() }),
  execute: ({ command }) => {
    executed.push(command);
    return { context: `ran ${command}` };
  },
});
const call = (id: string, command: string) => ({ toolCall: { id, name: 'shell', input: { command } } });
const permissions = {
  default: 'ask' as const,
  rules: [
    { tool: 'shell', input: { command: 'ls*' }, policy: 'allow' as const },
    { tool: 'shell', input: { command: 'rm*' }, policy: 'deny' as const, reason: 'nothing is removed' },
    { tool: 'agent', policy: 'allow' as const },
    { tool: 'ask_user', policy: 'allow' as const },
  ],
};
const agentOn = (id: string, script: ModelScript) =>
  loopAgent({ id, model: scriptedModel(script), tools: [shell, askUserLoopTool], permissions });

const talker = agentOn('talker', ({ lastUserText }) => `You said: ${lastUserText}`);
const thinker = agentOn('thinker', () => ({ parts: [{ reasoning: 'Hm.' }, { text: 'Yes.' }] }));
const worker = agentOn('worker', ({ step }) =>
  step === 0 ? { parts: [{ text: 'Looking.' }, call('c1', 'ls a'), call('c2', 'rm a')] } : 'All done.',
);
const asker = agentOn('asker', ({ step }) =>
  step === 0 ? { parts: [{ text: 'May I?' }, call('c1', 'make'), call('c2', 'ls b')] } : 'Went on.',
);
const twice = agentOn('twice', ({ step }) =>
  step === 0 ? { parts: [call('c1', 'make one'), call('c2', 'make two')] } : 'Both.',
);
const curious = agentOn('curious', ({ step }) =>
  step === 0
    ? [{ toolCall: { id: 'q1', name: 'ask_user', input: { question: 'Which one?', options: [{ label: 'red' }] } } }]
    : 'Thanks.',
);
const boss = loopAgent({
  id: 'boss',
  model: scriptedModel(({ step }) =>
    step === 0
      ? [{ toolCall: { id: 'a1', name: 'agent', input: { task: 'make it', agent: 'asker' } } }]
      : 'It was made.',
  ),
  tools: [agentTool({ agents: [{ agent: asker, description: 'asks' }] })],
  permissions,
});
const broken = scriptedAgent('broken', async function* ({ event }) {
  yield event('text', { id: 't', content: 'So far ' });
  yield event('error', { message: 'The disk is full.', code: 'disk_full', fatal: true });
});
let hold = gate();
const patient = scriptedAgent('patient', async function* ({ event, until }) {
  yield event('text', { id: 't', content: 'One, ' });
  await until(hold.opened);
  yield event('text', { id: 't', content: 'two.' });
});
const agents = [talker, thinker, worker, asker, twice, curious, boss, broken, patient];

interface Opened {
  readonly agent: HttpAgent;
  readonly threadId: string;
  /** The events of every run, in order. */
  readonly events: WireEvent[];
  say(text: string, id?: string): Promise<unknown>;
  resume(payload: unknown, status?: 'resolved' | 'cancelled'): Promise<unknown>;
}

function open(client: AgUiClient, url: string, agentId: string, threadId: string = newId()): Opened {
  const agent = client.open({ url, agentId, threadId });
  const events: WireEvent[] = [];
  const onEvent = ({ event }: { event: WireEvent }) => void events.push(event);
  return {
    agent,
    threadId,
    events,
    say: (content, id = newId()) => {
      agent.addMessage({ id, role: 'user', content });
      return agent.runAgent({}, { onEvent });
    },
    resume: (payload, status = 'resolved') => {
      const entries = agent.pendingInterrupts.map(({ id: interruptId }) => ({ interruptId, status, payload }));
      return agent.runAgent({ resume: entries }, { onEvent });
    },
  };
}

const rolesAndTexts = ({ messages }: HttpAgent) =>
  messages.flatMap(message => {
    const calls = (message.toolCalls ?? []).map(({ id }) => ` [${id.split('/').at(-1)}]`);
    return message.role === 'activity' ? [] : [`${message.role}: ${textIn(message)}${calls.join('')}`];
  });
const lastOf = ({ events }: Opened) => events.at(-1) as WireEvent;

/** A busy machine takes its time. */
const soon = { timeout: 20_000 };

describe.skipIf(!agUiClientsReady('the AG-UI clients on the server'))('AG-UI on the server', () => {
  let peers: AgUiPeers;
  let server: TestServer;
  beforeAll(async () => {
    peers = await loadAgUiPeers();
    server = await startTestServer(agents);
  }, 300_000);
  afterAll(() => server?.close());

  describe.each([0, 1])('with the real client (0: 1.0.0, 1: 0.0.59): %i', index => {
    const chat = (agentId: string, threadId?: string, url = server.url) =>
      open(peers.clients[index] as AgUiClient, url, agentId, threadId);
    const isNew = index === 0;

    it('shows text, and the thread has the id of the client and its messages', async () => {
      const opened = chat('talker');
      await opened.say('hello', 'u1');
      await opened.say('again', 'u2');
      expect(rolesAndTexts(opened.agent)).toEqual([
        'user: hello',
        'assistant: You said: hello',
        'user: again',
        'assistant: You said: again',
      ]);
      expect(opened.events.map(({ type }) => type)).not.toContain('MESSAGES_SNAPSHOT');
      const users = (await server.log.read(opened.threadId)).filter(event => event.type === 'user');
      expect(users).toMatchObject([
        { id: 'u1', content: 'hello' },
        { id: 'u2', content: 'again' },
      ]);
      expect(lastOf(opened)).toMatchObject({
        type: 'RUN_FINISHED',
        threadId: opened.threadId,
        outcome: { type: 'success' },
      });
    });

    it('shows reasoning, parallel tools, and one that was denied', async () => {
      const thought = chat('thinker');
      await thought.say('go');
      expect(rolesAndTexts(thought.agent).slice(1)).toEqual(['reasoning: Hm.', 'assistant: Yes.']);
      const worked = chat('worker');
      await worked.say('go');
      expect(rolesAndTexts(worked.agent).slice(1)).toEqual([
        'assistant: Looking. [c1] [c2]',
        expect.stringContaining('nothing is removed'),
        'tool: ran ls a',
        'assistant: All done.',
      ]);
    });

    it('reports a failure', async () => {
      const opened = chat('broken');
      await opened.say('go');
      expect(lastOf(opened)).toMatchObject({ type: 'RUN_ERROR', message: 'The disk is full.', code: 'disk_full' });
    });

    it.each([
      ['approves', { approved: true }, ['ls b', 'make'], 'ran make'],
      [
        'edits the arguments',
        { approved: true, editedArgs: { command: 'make -n' } },
        ['ls b', 'make -n'],
        'ran make -n',
      ],
      ['rejects', { approved: false, feedback: 'Not now.' }, ['ls b'], expect.stringContaining('Not now.')],
      ['dismisses', undefined, ['ls b'], expect.stringContaining('dismissed')],
    ])('ends its run with an interrupt, and goes on when a person %s', async (_, payload, ran, result) => {
      const opened = chat('asker');
      executed.length = 0;
      await opened.say('go');
      expect(opened.agent.pendingInterrupts).toMatchObject([
        { reason: 'tool_call', message: 'asker asks: Run $ make' },
      ]);
      const [{ toolCallId = '' } = {}] = opened.agent.pendingInterrupts;
      await opened.resume(payload, payload === undefined ? 'cancelled' : 'resolved');
      expect(executed).toEqual(ran);
      expect(opened.agent.pendingInterrupts).toEqual([]);
      expect(opened.agent.messages.filter(each => each.toolCallId === toolCallId)).toMatchObject([{ content: result }]);
      expect(rolesAndTexts(opened.agent).at(-1)).toBe('assistant: Went on.');
      expect(opened.events.filter(({ type }) => type === 'TOOL_CALL_START')).toHaveLength(2);
    });

    it('asks everything that is open at once, and a question', async () => {
      const both = chat('twice');
      await both.say('go');
      expect(both.agent.pendingInterrupts).toHaveLength(2);
      await both.resume({ approved: true });
      expect(rolesAndTexts(both.agent).at(-1)).toBe('assistant: Both.');
      const asked = chat('curious');
      await asked.say('go');
      expect(asked.agent.pendingInterrupts).toMatchObject([
        { reason: 'input_required', message: expect.stringContaining('Which one?') },
      ]);
      await asked.resume({ answer: 'red' });
      expect(rolesAndTexts(asked.agent).at(-1)).toBe('assistant: Thanks.');
      expect(rolesAndTexts(asked.agent).join()).toContain('red');
    });

    it('shows a subagent that asks', async () => {
      const opened = chat('boss');
      await opened.say('go');
      expect(opened.agent.pendingInterrupts).toMatchObject([{ subagentRunId: expect.any(String) }]);
      await opened.resume({ approved: true });
      expect(rolesAndTexts(opened.agent).at(-1)).toBe('assistant: It was made.');
      const starts = opened.events.filter(({ type }) => type === 'SUBAGENT_STARTED');
      expect(starts).toMatchObject([{ name: 'asker' }, { name: 'asker' }]);
      expect(lastOf(opened)).toMatchObject({ outcome: { type: 'success' } });
    });

    it('accepts an answer that was given elsewhere before, and goes on from the log', async () => {
      const opened = chat('asker');
      await opened.say('go');
      const relayId = opened.agent.pendingInterrupts[0]?.id.replace(/@\d+$/, '') ?? '';
      const answered = await fetch(`${server.url}/api/relays/${encodeURIComponent(relayId)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ outcome: 'reject', feedback: 'The page said no.' }),
      });
      expect(answered.status).toBe(200);
      await opened.resume({ approved: true });
      expect(rolesAndTexts(opened.agent).join()).toContain('The page said no.');
      expect(rolesAndTexts(opened.agent).at(-1)).toBe('assistant: Went on.');
    });

    it('closes a relay in every other surface with its answer', async () => {
      const opened = chat('asker');
      await opened.say('go');
      const waiting = async () => {
        const answer = await fetch(`${server.url}/api/relays?threadId=${opened.threadId}`);
        return ((await answer.json()) as { relays: unknown[] }).relays.length;
      };
      expect(await waiting()).toBe(1);
      await opened.resume({ approved: true });
      expect(await waiting()).toBe(0);
    });

    it('refuses a message while something is asked', async () => {
      const opened = chat('asker');
      await opened.say('go');
      const other = chat('asker', opened.threadId);
      await other.say('and this?');
      expect(lastOf(other)).toMatchObject({ type: 'RUN_ERROR', code: 'pending_interrupts' });
      await opened.resume({ approved: true });
    });

    it('stops a run', async () => {
      hold = gate();
      const opened = chat('patient');
      const said = opened.say('go');
      await vi.waitFor(() => expect(rolesAndTexts(opened.agent)).toContain('assistant: One, '), soon);
      const stopped = await fetch(`${server.url}/api/ag-ui/agent/patient/stop/${opened.threadId}`, { method: 'POST' });
      expect(await stopped.json()).toEqual({ stopped: true });
      await said;
      if (isNew) expect(lastOf(opened)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
      else expect(opened.events.at(-2)).toMatchObject({ type: 'CUSTOM', name: 'singletree.aborted' });
    });

    it('tries a message again, and edits one on a branch', async () => {
      const opened = chat('talker');
      await opened.say('one', 'a1');
      await opened.say('two', 'a2');
      opened.agent.setMessages(opened.agent.messages.slice(0, 3));
      await opened.agent.runAgent();
      expect(rolesAndTexts(opened.agent).slice(-2)).toEqual(['user: two', 'assistant: You said: two']);
      const runs = (await server.log.read(opened.threadId)).filter(({ type }) => type === 'harness_start');
      expect(runs).toHaveLength(3);
      opened.agent.setMessages(opened.agent.messages.slice(0, 2));
      await opened.say('three', 'a3');
      expect(rolesAndTexts(opened.agent)).toEqual([
        'user: one',
        'assistant: You said: one',
        'user: three',
        'assistant: You said: three',
      ]);
      const edited = (await server.log.read(opened.threadId)).findLast(event => event.type === 'user');
      expect(edited).toMatchObject({ id: 'a3', content: 'three' });
      const messages = await fetch(`${server.url}/api/chat/${opened.threadId}/messages`);
      expect((await messages.json()) as unknown[]).toHaveLength(4);
    });

    it('gives a client what others said since, and loses nothing of it', async () => {
      const one = chat('talker');
      await one.say('one');
      const other = chat('talker', one.threadId);
      await other.say('two');
      expect(rolesAndTexts(other.agent)).toEqual([
        'user: one',
        'assistant: You said: one',
        'user: two',
        'assistant: You said: two',
      ]);
      await one.say('three');
      expect(rolesAndTexts(one.agent)).toEqual([
        ...rolesAndTexts(other.agent),
        'user: three',
        'assistant: You said: three',
      ]);
    });

    it('goes on after a restart of the server between interrupt and resume', async () => {
      const path = join(mkdtempSync(join(tmpdir(), 'ag-ui-')), 'log.db');
      const start = async () => {
        const started = await startTestServer(agents, { log: new SqliteLog(path, { pollMs: 5 }) });
        await started.control.recover();
        return started;
      };
      const first = await start();
      const before = chat('asker', undefined, first.url);
      executed.length = 0;
      await before.say('go');
      const interrupts = before.agent.pendingInterrupts;
      const { messages } = before.agent;
      await first.close();
      const second = await start();
      try {
        const after = chat('asker', before.threadId, second.url);
        after.agent.setMessages(messages);
        after.agent.pendingInterrupts = interrupts;
        await after.resume({ approved: true });
        expect(executed).toEqual(['ls b', 'make']);
        expect(rolesAndTexts(after.agent)).toEqual([
          'user: go',
          'assistant: May I? [c1] [c2]',
          'tool: ran ls b',
          'tool: ran make',
          'assistant: Went on.',
        ]);
      } finally {
        await second.close();
      }
    });
  });
});
