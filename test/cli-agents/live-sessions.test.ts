import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/projections/message.ts';
import { driverScenes } from './support/driver-scene.ts';
import { fakeLiveAdapter } from './support/fake-live-adapter.ts';

const { scene } = driverScenes('fake-live.mjs');

interface Started {
  readonly args: readonly string[];
  readonly pid: number;
  readonly read: readonly string[];
}

const startedIn = (texts: readonly string[]) => JSON.parse(texts.at(-1) ?? '{}') as Started;

describe('a session in two threads', () => {
  it('is forked by a branch, and continued by the thread that it belongs to', async () => {
    const { send, log, threadId, texts, supervisor, agentOf, find } = await scene({ adapter: fakeLiveAdapter() });
    const first = await send('echo');
    await first.done;
    const { pid } = startedIn(await texts(first.runId));
    await supervisor.flush(threadId);
    const branch = await log.branch(threadId, (await log.read(threadId)).length);
    const other = await supervisor.start(branch.id, { agent: agentOf(), content: 'echo' });
    const next = await send('echo');
    await Promise.all([other.done, next.done]);
    await find(event => event.type === 'harness_end' && event.runId === next.runId);
    expect(startedIn(await texts(next.runId))).toMatchObject({ pid, read: ['echo', 'echo'] });
    const inBranch = (await log.read(branch.id)).filter(event => event.runId === other.runId);
    const forked = startedIn(inBranch.flatMap(event => (event.type === 'text' ? [event.content] : [])));
    expect(forked.args).toEqual(['--session', `session-${pid}`, '--fork']);
    expect(inBranch.find(event => event.type === 'session')).toMatchObject({ sessionId: `session-${forked.pid}` });
  });

  it.each([
    { fork: true, args: ['--session', 'one', '--fork'], prompt: 'go; echo' },
    {
      fork: false,
      args: [],
      prompt: expect.stringMatching(/^This conversation took place before:.*go; echo$/s) as string,
    },
  ])('is never resumed twice at the same time, fork: $fork', async ({ fork, args, prompt }) => {
    const { agentOf } = await scene({ adapter: fakeLiveAdapter({ fork }), channel: 'live' });
    const messages: Message[] = [
      { role: 'user', content: 'before' },
      { role: 'assistant', content: [{ type: 'text', text: 'yes' }] },
      { role: 'user', content: 'go; echo' },
    ];
    const session = { id: 'one', known: 2 };
    const agent = agentOf();
    const stop = new AbortController();
    const held = agent.invoke({
      run: { signal: stop.signal },
      conversation: { messages: [{ role: 'user', content: 'hang' }], session },
    });
    const events = held[Symbol.asyncIterator]();
    for (let next = await events.next(); next.value?.type !== 'session'; next = await events.next());
    const started = async () => {
      const texts: string[] = [];
      for await (const event of agent.invoke({ conversation: { messages, session } }))
        if (event.type === 'text') texts.push(event.content);
      return startedIn(texts);
    };
    expect(await started()).toMatchObject({ args, read: [prompt] });
    stop.abort();
    for (let next = await events.next(); next.done !== true; next = await events.next());
    expect(await started(), 'the session is free again').toMatchObject({ args: ['--session', 'one'] });
  });
});
