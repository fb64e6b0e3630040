import { describe, expect, it } from 'vitest';
import { driverScenes } from './support/driver-scene.ts';
import { fakeLiveAdapter } from './support/fake-live-adapter.ts';

const { scene } = driverScenes('fake-live.mjs');

/** What the program has read, as its last `echo` reports it. */
const readIn = (texts: readonly string[]) => (JSON.parse(texts.at(-1) ?? '{}') as { read: string[] }).read;

describe('what the model reads of a decision', () => {
  it('is steered into the turn', async () => {
    const { send, relay, supervisor, threadId, texts, events } = await scene({
      adapter: fakeLiveAdapter({ reason: 'steer' }),
    });
    const run = await send('ask rm x; echo');
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'reject', feedback: 'REASON-1' });
    expect(await run.done).toBe('complete');
    expect(readIn(await texts(run.runId))).toEqual([
      'ask rm x; echo',
      expect.stringMatching(/was rejected and did not run\. .*REASON-1/),
    ]);
    expect((await events()).filter(event => event.type === 'user')).toHaveLength(1);
  });

  it('is the next prompt of the same run where the program takes it only there', async () => {
    const { send, relay, supervisor, threadId, events } = await scene({
      adapter: fakeLiveAdapter({ reason: 'next_prompt', rejectEndsTurn: true, steer: 'queued' }),
    });
    const run = await send('ask rm x');
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'reject', feedback: 'REASON-2; echo' });
    expect(await run.done).toBe('complete');
    const all = await events();
    expect(all.filter(event => event.type === 'user' && event.runId === run.runId)).toMatchObject([
      { by: 'singletree', content: expect.stringContaining('REASON-2') as string },
    ]);
    expect(JSON.stringify(all.findLast(event => event.type === 'text'))).toContain('REASON-2');
  });

  it.each([
    ['did not join the turn', 'deaf; ask rm x; say on'],
    ['did not join a turn that the program broke off', 'deaf; ask rm x; end aborted'],
  ])('is the next prompt of the same run when it was steered and %s', async (_, prompt) => {
    const { send, relay, supervisor, threadId, events } = await scene({
      adapter: fakeLiveAdapter({ reason: 'steer' }),
    });
    const run = await send(prompt);
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'reject', feedback: 'REASON-3; echo' });
    expect(await run.done).toBe('complete');
    const all = await events();
    expect(all.filter(event => event.type === 'user' && event.runId === run.runId)).toMatchObject([
      { by: 'singletree', content: expect.stringContaining('REASON-3') as string },
    ]);
    expect(JSON.stringify(all.findLast(event => event.type === 'text'))).toContain('REASON-3');
  });

  it('is the next prompt of the same run when a note about a revised input did not join', async () => {
    const { send, relay, supervisor, threadId, texts } = await scene({ adapter: fakeLiveAdapter() });
    const run = await send('deaf; ask rm x; say on');
    const input = { command: 'rm y; echo' };
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'revise', input });
    expect(await run.done).toBe('complete');
    expect((await texts(run.runId)).join('')).toContain('The user changed your call of Bash');
  });

  it('is the next prompt of the same run when it joined a turn that did not handle it', async () => {
    const { send, say, relay, supervisor, threadId, texts, events } = await scene({
      adapter: fakeLiveAdapter({ reason: 'steer' }),
    });
    const run = await send('forget; ask rm x; say on');
    const asked = await relay();
    await say('look here');
    await supervisor.answer(threadId, asked.id, { outcome: 'reject', feedback: 'REASON-4; echo' });
    expect(await run.done).toBe('complete');
    expect(readIn(await texts(run.runId)).at(-1)).toMatch(/^look here\n\nYour call of Bash .*REASON-4; echo$/);
    expect((await events()).filter(event => event.type === 'user' && event.runId === run.runId)).toHaveLength(1);
  });

  it('waits for the end of the turn where a message cannot join, with a note to the person', async () => {
    const { send, say, relay, supervisor, threadId, find, texts } = await scene({
      adapter: fakeLiveAdapter({ steer: 'queued' }),
    });
    const run = await send('ask ls');
    const asked = await relay();
    await say('look here; echo');
    await find(event => event.type === 'warning' && event.code === 'steer_queued');
    await supervisor.answer(threadId, asked.id, { outcome: 'approve' });
    expect(await run.done).toBe('complete');
    expect(readIn(await texts(run.runId))).toEqual(['ask ls', 'look here; echo']);
  });
});

describe('a message that did not reach the model', () => {
  it.each(['error', 'aborted'])('begins the next turn when the run ends with %s', async how => {
    const { send, say, find, relay, supervisor, threadId, texts, events } = await scene({ adapter: fakeLiveAdapter() });
    const run = await send(how === 'error' ? 'deaf; ask ls; end error' : 'deaf; ask ls; hang');
    const asked = await relay();
    await say('look here; echo');
    if (how === 'error') await supervisor.answer(threadId, asked.id, { outcome: 'approve' });
    else await supervisor.abort(run.runId);
    expect(await run.done).toBe(how);
    const { runId } = await find(event => event.type === 'harness_end', 2);
    expect(readIn(await texts(runId)).at(-1)).toBe('look here; echo');
    const added = (await events()).filter(event => event.type === 'user');
    expect(added.map(event => event.runId === run.runId)).toEqual([false, false]);
  });
});

describe('a note of the driver that did not reach the model', () => {
  it.each([
    ['an error', 'next_prompt', 'ask rm x; end error'],
    ['an error', 'steer', 'deaf; ask rm x; end error'],
    ['an abort', 'next_prompt', 'ask rm x; hang'],
    ['an abort', 'steer', 'deaf; ask rm x; hang'],
  ] as const)('is read with the next prompt after %s (%s)', async (how, reason, prompt) => {
    const { send, relay, supervisor, threadId, find, texts, events } = await scene({
      adapter: fakeLiveAdapter({ reason }),
    });
    const run = await send(prompt);
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'reject', feedback: 'REASON-5;' });
    await find(event => event.type === 'tool_result');
    if (how === 'an abort') await supervisor.abort(run.runId);
    expect(await run.done).toBe(how === 'an abort' ? 'aborted' : 'error');
    const next = await send('echo');
    expect(await next.done).toBe('complete');
    expect(readIn(await texts(next.runId)).at(-1)).toMatch(/was rejected and did not run.*REASON-5.*echo/s);
    const third = await send('echo');
    expect(await third.done).toBe('complete');
    expect(readIn(await texts(third.runId)).at(-1)).toBe('echo');
    expect((await events()).filter(event => event.type === 'user' && event.by === 'singletree')).toHaveLength(1);
  });

  it('is read with the next prompt when it joined a failed turn that did not handle it', async () => {
    const { send, say, relay, supervisor, threadId, texts } = await scene({
      adapter: fakeLiveAdapter({ reason: 'steer' }),
    });
    const run = await send('forget; ask rm x; say on; end error');
    const asked = await relay();
    await say('look here');
    await supervisor.answer(threadId, asked.id, { outcome: 'reject', feedback: 'REASON-6;' });
    expect(await run.done).toBe('error');
    const next = await send('echo');
    expect(await next.done).toBe('complete');
    expect(readIn(await texts(next.runId)).at(-1)).toMatch(/look here.*REASON-6.*echo/s);
  });

  it('is read with the next prompt when it joined a stopped turn that did not handle it', async () => {
    const { send, say, relay, supervisor, threadId, texts, find } = await scene({ adapter: fakeLiveAdapter() });
    const run = await send('forget; ask rm x; hang');
    const asked = await relay();
    await say('look here;');
    await supervisor.answer(threadId, asked.id, { outcome: 'approve' });
    await find(event => event.type === 'user' && event.content === 'look here;');
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    const next = await send('echo');
    expect(await next.done).toBe('complete');
    expect(readIn(await texts(next.runId)).at(-1)).toMatch(/look here.*echo/s);
  });

  it('stays in the thread as a warning when the turn of a queued message ends in an error', async () => {
    const { send, say, relay, supervisor, threadId, find, texts, events } = await scene({
      adapter: fakeLiveAdapter({ steer: 'queued' }),
    });
    const run = await send('ask ls; end error');
    const asked = await relay();
    await say('look here; echo');
    await find(event => event.type === 'warning' && event.code === 'steer_queued');
    await supervisor.answer(threadId, asked.id, { outcome: 'approve' });
    expect(await run.done).toBe('error');
    const { runId } = await find(event => event.type === 'harness_end', 2);
    expect(readIn(await texts(runId)).at(-1)).toBe('look here; echo');
    expect((await events()).filter(event => event.type === 'warning')).toHaveLength(1);
  });
});

describe('lines between turns', () => {
  it('belong to the next run, in order and before its own', async () => {
    const { send, texts } = await scene({ adapter: fakeLiveAdapter() });
    const first = await send('say one; later two; later three');
    await first.done;
    const second = await send('say four');
    await second.done;
    expect([await texts(first.runId), await texts(second.runId)]).toEqual([['one'], ['two', 'three', 'four']]);
  });
});

describe('the prompt of a run', () => {
  it('does not repeat the request of an aborted run that wrote nothing', async () => {
    const { send, supervisor, find, texts } = await scene({ adapter: fakeLiveAdapter() });
    const aborted = await send('hang');
    await find(event => event.type === 'session');
    await supervisor.abort(aborted.runId);
    expect(await aborted.done).toBe('aborted');
    const next = await send('echo');
    expect(await next.done).toBe('complete');
    expect(readIn(await texts(next.runId))).toEqual(['hang', 'echo']);
  });
});
