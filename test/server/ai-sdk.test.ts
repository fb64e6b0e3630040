import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { agentTool, defineTool, loopAgent } from '../../src/agents/index.ts';
import { type ModelScript, scriptedModel } from '../../src/testing/index.ts';
import { newId } from '../../src/events/index.ts';
import { MemoryLog } from '../../src/log/index.ts';
import { gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Chat, openChat, type Shown } from './chats.ts';

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
  ],
};
const agentOn = (id: string, script: ModelScript) =>
  loopAgent({ id, model: scriptedModel(script), tools: [shell], permissions });

const talker = agentOn('talker', ({ lastUserText }) => `You said: ${lastUserText}`);
const worker = agentOn('worker', ({ step }) =>
  step === 0 ? { parts: [{ text: 'Looking.' }, call('c1', 'ls a'), call('c2', 'rm a')] } : 'All done.',
);
const asker = agentOn('asker', ({ step }) =>
  step === 0 ? { parts: [{ text: 'May I?' }, call('c1', 'make'), call('c2', 'ls b')] } : 'Went on.',
);
const boss = loopAgent({
  id: 'boss',
  model: scriptedModel(({ step }) =>
    step === 0
      ? [{ toolCall: { id: 'a1', name: 'agent', input: { task: 'say hi', agent: 'talker' } } }]
      : 'It said hi.',
  ),
  tools: [agentTool({ agents: [{ agent: talker, description: 'talks' }] })],
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

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([talker, worker, asker, boss, broken, patient]);
});
afterAll(() => server.close());

const last = (chat: Chat): Shown => chat.messages.at(-1) as Shown;
const textOf = (message: Shown) =>
  message.parts.flatMap(part => (part.type === 'text' ? [part['text'] as string] : [])).join('');
const toolsOf = (message: Shown) =>
  message.parts.flatMap(part =>
    part.type === 'dynamic-tool' ? [[part['toolName'], part['state'], part['output'] ?? part['errorText']]] : [],
  );
/** The id of the approval that the newest message asks for. */
const askedIn = (chat: Chat) => {
  const part = last(chat).parts.find(each => each['state'] === 'approval-requested');
  return (part?.['approval'] as { id: string } | undefined)?.id ?? 'none';
};
const running = (id: string) => server.control.running().filter(run => run.threadId === id);
const ended = (id: string) => vi.waitFor(() => expect(running(id)).toEqual([]));

describe.each([5, 6, 7] as const)('useChat of AI SDK %i on the server', version => {
  const chatWith = (agent: string) => {
    const id = newId();
    return { id, chat: openChat(version, { id, url: server.url, body: { agent } }) };
  };

  it('shows text, and the thread has the id of the chat', async () => {
    const { id, chat } = chatWith('talker');
    await chat.sendMessage({ text: 'hello' });
    expect([chat.status, chat.error, textOf(last(chat))]).toEqual(['ready', undefined, 'You said: hello']);
    expect(last(chat).metadata).toMatchObject({ threadId: id, runId: last(chat).id, agentName: 'talker' });
    await chat.sendMessage({ text: 'again' });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(await server.log.getThread(id)).toMatchObject({ title: 'hello' });
    const users = (await server.log.read(id)).filter(event => event.type === 'user');
    expect(users).toMatchObject([{ content: 'hello' }, { content: 'again' }]);
  });

  it('shows tools, and one that was denied', async () => {
    const { chat } = chatWith('worker');
    await chat.sendMessage({ text: 'go' });
    expect(toolsOf(last(chat))).toEqual([
      ['shell', 'output-available', 'ran ls a'],
      version === 5
        ? ['shell', 'output-error', expect.stringContaining('nothing is removed')]
        : ['shell', 'output-denied', undefined],
    ]);
    expect(textOf(last(chat))).toBe('Looking.All done.');
  });

  it.each([true, false])('goes on when the person decides %s', async approved => {
    const { id, chat } = chatWith('asker');
    executed.length = 0;
    const sent = chat.sendMessage({ text: 'go' });
    if (version === 5) {
      const part = await vi.waitFor(() => {
        const found = chat.messages.at(-1)?.parts.find(each => each.type === 'data-approval');
        expect(found).toMatchObject({ data: { status: 'pending' } });
        return found as unknown as { id: string };
      });
      const outcome = approved ? 'approve' : 'reject';
      await fetch(`${server.url}/api/relays/${encodeURIComponent(part.id)}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ outcome }),
      });
      await sent;
    } else {
      await sent;
      const part = last(chat).parts.find(each => each['state'] === 'approval-requested');
      expect(part).toMatchObject({ toolName: 'shell', input: { command: 'make' } });
      expect(running(id)).toHaveLength(1);
      await chat.addToolApprovalResponse?.({ id: askedIn(chat), approved, ...(!approved && { reason: 'not now' }) });
      await vi.waitFor(() => expect([chat.status, textOf(last(chat))]).toEqual(['ready', 'May I?Went on.']));
    }
    expect(chat.messages).toHaveLength(2);
    expect(toolsOf(last(chat))).toEqual([
      approved
        ? ['shell', 'output-available', 'ran make']
        : version === 5
          ? ['shell', 'output-error', expect.any(String)]
          : ['shell', 'output-denied', undefined],
      ['shell', 'output-available', 'ran ls b'],
    ]);
    expect(executed.toSorted()).toEqual(approved ? ['ls b', 'make'] : ['ls b']);
    const resolved = (await server.log.read(id)).find(event => event.type === 'relay_resolved');
    expect(resolved).toMatchObject({ outcome: approved ? 'approve' : 'reject' });
  });

  it('shows a subagent', async () => {
    const { chat } = chatWith('boss');
    await chat.sendMessage({ text: 'go' });
    expect(textOf(last(chat))).toBe('It said hi.');
    expect(last(chat).parts.find(part => part.type === 'data-agent')).toMatchObject({
      data: { agentName: 'talker', status: 'completed', text: 'You said: say hi' },
    });
  });

  it('shows an error', async () => {
    const { chat } = chatWith('broken');
    await chat.sendMessage({ text: 'go' });
    expect([chat.status, chat.error?.message]).toEqual(['error', 'The disk is full.']);
    expect(textOf(last(chat))).toBe('So far ');
  });

  it('goes away without stopping the run, and resumes it from its start', async () => {
    hold = gate();
    const { id, chat } = chatWith('patient');
    const sending = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    await chat.stop();
    await sending;
    expect(running(id)).toHaveLength(1);
    const later = openChat(version, { id, url: server.url });
    const resuming = later.resumeStream();
    await vi.waitFor(() => expect(later.messages.map(textOf)).toEqual(['One, ']));
    hold.open();
    await resuming;
    expect(later.messages.map(textOf)).toEqual(['One, two.']);
    await ended(id);
    const nothing = openChat(version, { id, url: server.url });
    await nothing.resumeStream();
    expect([nothing.messages, nothing.status]).toEqual([[], 'ready']);
  });

  it('shows that the run was stopped', async () => {
    hold = gate();
    const { id, chat } = chatWith('patient');
    const sending = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    await server.control.abort(running(id)[0]?.runId ?? '');
    await sending;
    expect([chat.status, textOf(last(chat))]).toEqual(['ready', 'One, ']);
  });

  it('ends when its thread is deleted, also while a message waits for its run', async () => {
    hold = gate();
    const { id, chat } = chatWith('patient');
    const first = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    const other = openChat(version, { id, url: server.url, body: { agent: 'patient' } });
    const second = other.sendMessage({ text: 'and again' });
    await vi.waitFor(async () =>
      expect((await server.log.getThread(id))?.open).toContainEqual(expect.objectContaining({ kind: 'message' })),
    );
    expect((await fetch(`${server.url}/api/threads/${id}`, { method: 'DELETE' })).status).toBe(204);
    await Promise.all([first, second]);
    expect([other.status, other.error?.message]).toEqual([
      'error',
      `The thread "${id}" was deleted before the message was sent.`,
    ]);
    expect(running(id)).toEqual([]);
  });

  it('shows an error that it understands when its thread is deleted under the run', async () => {
    hold = gate();
    const { id, chat } = chatWith('patient');
    const sending = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    await server.log.deleteThread(id);
    await sending;
    expect([chat.status, chat.error?.message]).toEqual(['error', expect.stringContaining(id)]);
    expect(chat.error?.message).not.toContain('Invalid');
    hold.open();
    await ended(id);
  });

  it('tries an answer again, and edits a question: both stay in the log', async () => {
    const { id, chat } = chatWith('talker');
    await chat.sendMessage({ text: 'one' });
    const first = last(chat).id;
    await chat.regenerate();
    expect(chat.messages).toHaveLength(2);
    expect([textOf(last(chat)), last(chat).id === first]).toEqual(['You said: one', false]);
    await chat.sendMessage({ text: 'two', messageId: chat.messages[0]?.id as string });
    expect(chat.messages.map(textOf)).toEqual(['two', 'You said: two']);
    const starts = (await server.log.read(id)).filter(event => event.type === 'harness_start');
    const [asked, again, edited] = starts.map(event => event.parentId);
    expect([asked === again, asked === edited]).toEqual([true, false]);
  });

  it('waits for the run under way before it answers another message', async () => {
    hold = gate();
    const { id, chat } = chatWith('patient');
    const first = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    const other = openChat(version, { id, url: server.url, body: { agent: 'talker' } });
    const second = other.sendMessage({ text: 'and you?' });
    const waiting = expect.objectContaining({ kind: 'message' });
    await vi.waitFor(async () => expect((await server.log.getThread(id))?.open).toContainEqual(waiting));
    hold.open();
    await Promise.all([first, second]);
    expect([textOf(last(chat)), textOf(last(other))]).toEqual(['One, two.', 'You said: and you?']);
  });
});

describe('a chat', () => {
  it('receives that the server ends, and resumes with the next one', async () => {
    hold = gate();
    const log = new MemoryLog();
    log.close = async () => {};
    const first = await startTestServer([patient], { log });
    const id = newId();
    const chat = openChat(7, { id, url: first.url });
    const sending = chat.sendMessage({ text: 'count' });
    await vi.waitFor(() => expect(textOf(last(chat))).toBe('One, '));
    await first.close();
    await sending;
    expect(chat.error?.message).toContain('The server closes.');
  });

  it('is refused another message while the run waits for an answer', async () => {
    const id = newId();
    const chat = openChat(7, { id, url: server.url, body: { agent: 'asker' } });
    await chat.sendMessage({ text: 'go' });
    await chat.sendMessage({ text: 'hello?' });
    expect(chat.error?.message).toContain('run_under_way');
  });

  it('resumes while it waits, with what is asked', async () => {
    const id = newId();
    await openChat(7, { id, url: server.url, body: { agent: 'asker' } }).sendMessage({ text: 'go' });
    const later = openChat(7, { id, url: server.url });
    await later.resumeStream();
    await later.addToolApprovalResponse?.({ id: askedIn(later), approved: true });
    await vi.waitFor(() => expect([later.status, textOf(last(later))]).toEqual(['ready', 'May I?Went on.']));
  });
});
