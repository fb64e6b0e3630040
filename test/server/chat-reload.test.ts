import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { defineTool, loopAgent } from '../../src/agents/index.ts';
import { newId } from '../../src/events/index.ts';
import { scriptedModel } from '../../src/testing/index.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';
import { type Chat, openChat, type Shown } from './chats.ts';
import { ask } from './http.ts';

const look = defineTool({
  name: 'look',
  description: 'looks',
  input: z.object({ at: z.string() }),
  execute: ({ at }) => ({ context: `saw ${at}` }),
});
const agent = loopAgent({
  id: 'guide',
  model: scriptedModel(({ step, lastUserText }) =>
    step === 0 && lastUserText.startsWith('look')
      ? { parts: [{ text: 'Wait.' }, { toolCall: { id: newId(), name: 'look', input: { at: lastUserText } } }] }
      : `You said: ${lastUserText}`,
  ),
  tools: [look],
  permissions: { default: 'ask', rules: [{ input: { at: 'look here' }, policy: 'allow' }] },
});

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer([agent], {
    tokens: [{ token: 'for-everything' }, { token: 'only-mine', resourceId: 'me' }],
  });
});
afterAll(() => server.close());

/** What a reload has to show again. */
const shown = ({ messages }: Pick<Chat, 'messages'>) =>
  messages.map(({ role, parts }) => [
    role,
    ...parts.flatMap(part => {
      if (part.type === 'text') return [part['text']];
      return part.type === 'dynamic-tool' ? [[part['toolName'], part['state'], part['output']]] : [];
    }),
  ]);

describe('a chat message that is sent again with its id', () => {
  it('streams the run of the first one', async () => {
    const id = newId();
    const message = { id: 'sent-twice', role: 'user', parts: [{ type: 'text', text: 'hello' }] };
    const send = async () => {
      const headers = { authorization: 'Bearer for-everything', 'content-type': 'application/json' };
      const body = JSON.stringify({ id, messages: [message] });
      return (await fetch(`${server.url}/api/chat`, { method: 'POST', headers, body })).text();
    };
    const streams = [await send(), await send()];
    for (const stream of streams) expect(stream).toContain('"type":"finish"');
    const events = await server.log.read(id);
    expect(events.filter(({ type }) => type === 'user')).toMatchObject([{ id: 'sent-twice' }]);
    expect(events.filter(({ type }) => type === 'harness_start')).toHaveLength(1);
  });
});

describe.each([5, 6, 7] as const)('a chat of AI SDK %i that is opened again', version => {
  const authorization = 'Bearer for-everything';
  const load = async (id: string): Promise<readonly Shown[]> => {
    const headers = { 'x-ai-sdk-version': String(version), authorization };
    const response = await fetch(`${server.url}/api/chat/${id}/messages`, { headers });
    expect(response.status).toBe(200);
    return (await response.json()) as readonly Shown[];
  };
  const open = (id: string, messages: readonly Shown[] = []) =>
    openChat(version, { id, url: server.url, token: 'for-everything', messages });

  it('shows the same messages, and continues with them', async () => {
    const id = newId();
    const first = open(id);
    await first.sendMessage({ text: 'hello' });
    await first.sendMessage({ text: 'look here' });
    const again = open(id, await load(id));
    expect(shown(again)).toEqual(shown(first));
    expect(again.messages.at(-1)).toMatchObject({ id: first.messages.at(-1)?.id, metadata: { threadId: id } });
    await again.sendMessage({ text: 'more' });
    expect(shown(again).at(-1)).toEqual(['assistant', 'You said: more']);
    const asked = again.messages[2] as Shown;
    await again.sendMessage({ text: 'instead', messageId: asked.id });
    expect(shown(again)).toEqual([
      ['user', 'hello'],
      ['assistant', 'You said: hello'],
      ['user', 'instead'],
      ['assistant', 'You said: instead'],
    ]);
    expect(shown({ messages: await load(id) })).toEqual(shown(again));
    expect(again.error).toBe(undefined);
  });

  it('resumes an answer that waits for a person', async () => {
    const id = newId();
    const first = open(id);
    const sending = first.sendMessage({ text: 'look away' });
    await vi.waitFor(() => expect(server.control.running().filter(run => run.threadId === id)).toHaveLength(1));
    if (version > 5) await sending;
    const messages = await load(id);
    expect(shown({ messages })).toEqual([['user', 'look away']]);
    const again = open(id, messages);
    const resuming = again.resumeStream();
    if (version > 5) {
      await resuming;
      const part = again.messages.at(-1)?.parts.find(each => each['state'] === 'approval-requested');
      const approval = part?.['approval'] as { id: string };
      await again.addToolApprovalResponse?.({ id: approval.id, approved: true });
    } else {
      const asked = () =>
        again.messages.at(-1)?.parts.find(({ type }) => type === 'data-approval')?.['id'] as string | undefined;
      await vi.waitFor(() => expect(asked()).toBeDefined());
      await server.control.answer(id, asked() ?? '', { outcome: 'approve' });
      await resuming;
      await sending;
    }
    await vi.waitFor(() => expect(server.control.running().filter(run => run.threadId === id)).toEqual([]));
    await vi.waitFor(() => expect(again.status).toBe('ready'));
    expect(shown(again)).toEqual([
      ['user', 'look away'],
      ['assistant', 'Wait.', ['look', 'output-available', 'saw look away'], 'You said: look away'],
    ]);
    expect(shown({ messages: await load(id) })).toEqual(shown(again));
  });

  it('has no messages when it is new, or of another reader', async () => {
    expect(await load(newId())).toEqual([]);
    const id = newId();
    await open(id).sendMessage({ text: 'hello' });
    const { json } = await ask(server.url, `/api/chat/${id}/messages`, {
      headers: { authorization: 'Bearer only-mine' },
    });
    expect(json).toEqual([]);
  });
});

it('shows a call of a tool that the client declares as a part of its name, in the stream and after a reload', async () => {
  const id = newId();
  const headers = { authorization: 'Bearer for-everything', 'x-ai-sdk-tools': 'other, look' };
  const body = { id, messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'look here' }] }] };
  const sent = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const stream = await (await fetch(`${server.url}/api/chat`, sent)).text();
  expect(stream).toContain('"type":"tool-input-available"');
  expect(stream).not.toContain('"dynamic"');
  const text = await (await fetch(`${server.url}/api/chat/${id}/messages`, { headers })).text();
  expect(text).toContain('"type":"tool-look"');
});

it('refuses an unknown version of the AI SDK', async () => {
  const headers = { authorization: 'Bearer for-everything', 'x-ai-sdk-version': '4' };
  expect(await ask(server.url, '/api/chat/x/messages', { headers })).toMatchObject({ status: 400 });
});
