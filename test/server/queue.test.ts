import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { steeredMessages } from '../../src/agents/steered-messages.ts';
import { type Client, createClient } from '../../src/client/index.ts';
import { type Gate, gate, scriptedAgent } from '../support/scripted-agent.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

let hold: Gate;
let server: TestServer;
let client: Client;
let threadId: string;

const worker = scriptedAgent('worker', async function* ({ until, params }) {
  await until(hold.opened);
  yield* steeredMessages(params);
});

beforeEach(async () => {
  hold = gate();
  server = await startTestServer([worker]);
  client = createClient({ baseUrl: server.url });
  ({ id: threadId } = await client.createThread());
  await client.sendMessage(threadId, { content: 'first' });
});
afterEach(async () => {
  hold.open();
  await server.close();
});

const queue = (content: string) => client.sendMessage(threadId, { content, delivery: 'follow_up' });
const waiting = async () => (await client.listQueue(threadId)).map(({ content }) => content);
const said = async () =>
  (await server.log.read(threadId)).flatMap(event => (event.type === 'user' ? [event.content] : []));
const idOf = async (content: string) =>
  (await client.listQueue(threadId)).find(each => each.content === content)?.id ?? expect.fail(`no ${content}`);

describe('the queue of a thread', () => {
  it('lists what waits in its order, and nothing that the run may still add', async () => {
    await queue('second');
    await client.sendMessage(threadId, { content: 'into the run' });
    await queue('third');
    expect(await waiting()).toEqual(['second', 'third']);
  });

  it('shows why a message waits for an agent that the server does not offer, as does the list of threads', async () => {
    const { id } = await client.createThread();
    const waits = { delivery: 'follow_up', agent: 'stranger', order: 0 } as const;
    await server.log.append(id, [{ type: 'message_queued', runId: 'q', id: 'm', content: 'for you', ...waits }]);
    const problem = `The agent "stranger" is not offered here. To deliver its message: singletree run stranger --resume ${id}`;
    expect(await client.listQueue(id)).toMatchObject([{ id: 'm', problem }]);
    expect((await client.listThreads()).find(thread => thread.id === id)).toMatchObject({
      status: 'queued',
      problem,
    });
    expect(await client.getThread(id)).toMatchObject({ status: 'queued', problem });
  });

  it('delivers a message as it was changed, and one that was removed never', async () => {
    await queue('second');
    await queue('third');
    await client.changeQueued(threadId, await idOf('second'), { content: 'changed' });
    await client.removeQueued(threadId, await idOf('third'));
    hold.open();
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'changed']));
    expect(await waiting()).toEqual([]);
  });

  it('sends a waiting message into the run once', async () => {
    await queue('second');
    await queue('third');
    expect(await client.sendQueued(threadId, await idOf('third'))).toMatchObject({ steered: true });
    expect(await waiting()).toEqual(['second']);
    hold.open();
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'third', 'second']));
  });

  it('delivers in the order that was chosen', async () => {
    for (const content of ['second', 'third', 'fourth']) await queue(content);
    await client.changeQueued(threadId, await idOf('fourth'), { before: await idOf('second') });
    expect(await waiting()).toEqual(['fourth', 'second', 'third']);
    await client.changeQueued(threadId, await idOf('second'), { before: null });
    expect(await waiting()).toEqual(['fourth', 'third', 'second']);
    const strange = client.changeQueued(threadId, await idOf('second'), { before: 'nobody' });
    await expect(strange).rejects.toMatchObject({ code: 'not_found' });
    hold.open();
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'fourth', 'third', 'second']));
  });

  it('delivers neither a message that is held nor those after it, until it is changed or released', async () => {
    await queue('second');
    await queue('third');
    await client.changeQueued(threadId, await idOf('second'), { isHeld: true });
    hold.open();
    await vi.waitFor(async () => expect((await client.getThread(threadId)).status).not.toBe('running'));
    await server.resume();
    expect([await said(), await waiting()]).toEqual([['first'], ['second', 'third']]);
    await client.changeQueued(threadId, await idOf('second'), { content: 'changed' });
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'changed', 'third']));
  });

  it('delivers a message whose hold was released', async () => {
    await queue('second');
    const id = await idOf('second');
    await client.changeQueued(threadId, id, { isHeld: true });
    hold.open();
    await vi.waitFor(async () => expect((await client.getThread(threadId)).status).not.toBe('running'));
    await client.changeQueued(threadId, id, { isHeld: false });
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'second']));
  });

  it('begins empty in a branch', async () => {
    await queue('second');
    const { seq } = await client.getThread(threadId);
    const branch = await client.branchThread(threadId, { seq });
    expect([await client.listQueue(branch.id), await waiting()]).toEqual([[], ['second']]);
  });

  it('refuses to change what was delivered', async () => {
    await queue('second');
    const id = await idOf('second');
    hold.open();
    await vi.waitFor(async () => expect(await said()).toEqual(['first', 'second']));
    const late = [
      () => client.changeQueued(threadId, id, { content: 'x' }),
      () => client.removeQueued(threadId, id),
      () => client.sendQueued(threadId, id),
    ];
    for (const change of late) await expect(change()).rejects.toMatchObject({ code: 'not_found' });
  });
});
