import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cliAgent } from '../../src/agents/cli/agent/cli-agent.ts';
import { SessionPool } from '../../src/agents/cli/live/session-pool.ts';
import type { ContentPart } from '../../src/events/index.ts';
import { driverScenes } from './support/driver-scene.ts';

const { closing, cwd, executable, scene } = driverScenes();

describe('the driver of live sessions', () => {
  it('decides by rules before anybody is asked', async () => {
    const { send, events } = await scene({
      permissions: {
        default: 'ask',
        rules: [
          { command: 'echo *', policy: 'allow' },
          { command: 'rm *', policy: 'deny', reason: 'nothing is removed here' },
        ],
      },
    });
    const run = await send('run echo hi; run echo hi && rm -rf x; say done');
    expect(await run.done).toBe('complete');
    const all = await events();
    expect(all.filter(event => event.type === 'relay')).toEqual([]);
    expect(all.flatMap(event => (event.type === 'tool_result' ? [event.output] : []))).toEqual([
      { context: 'hi\n' },
      { status: 'denied', reason: 'nothing is removed here' },
    ]);
  });

  it('starts an approved call in the log before the program may run it', async () => {
    const { send, relay, supervisor, threadId, events } = await scene();
    const run = await send('run echo hi');
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'approve' });
    await run.done;
    const types = (await events()).map(({ type }) => type);
    expect(types.slice(types.indexOf('relay_resolved'))).toEqual([
      'relay_resolved',
      'tool_start',
      'tool_result',
      'usage',
      'harness_end',
    ]);
  });

  it('keeps the program between turns, and switches model and mode', async () => {
    const { send, texts, relay, supervisor, threadId } = await scene();
    const first = await send('echo');
    await first.done;
    const second = await send('echo', { mode: 'plan', model: 'other' });
    await second.done;
    const started = JSON.parse((await texts(first.runId))[0] ?? '') as { args: string[] };
    expect(started.args).not.toContain('--resume');
    expect(JSON.parse((await texts(second.runId))[0] ?? '')).toMatchObject({
      args: started.args,
      model: 'other',
      mode: 'plan',
    });
    const third = await send('plan; echo', { mode: 'plan' });
    await supervisor.answer(threadId, (await relay()).id, { outcome: 'approve' });
    expect(await third.done).toBe('complete');
  });

  it('continues in a new session with the conversation when its own is unknown', async () => {
    const sessions = new SessionPool();
    closing.push(() => sessions.close());
    const agent = cliAgent('claude', { executable, cwd, sessions, channel: 'live' });
    const events = [];
    for await (const event of agent.invoke({
      conversation: {
        messages: [
          { role: 'user', content: 'remember periwinkle' },
          { role: 'assistant', content: [{ type: 'text', text: 'I will.' }] },
          { role: 'user', content: 'say again' },
        ],
        session: { id: 'unknown', known: 2 },
      },
    }))
      events.push(event);
    expect(events.filter(event => event.type === 'warning' && event.code === 'new_session')).toHaveLength(1);
    expect(JSON.stringify(events.filter(event => event.type === 'text'))).toContain('periwinkle');
    expect(events.at(-1)).toMatchObject({ type: 'harness_end', reason: 'complete' });
    expect(events.filter(event => event.type === 'error')).toEqual([]);
  });

  it('ends the program that has waited longest when too many wait', async () => {
    const sessions = new SessionPool({ size: 1 });
    closing.push(() => sessions.close());
    const agent = cliAgent('claude', { executable, cwd, sessions, channel: 'live' });
    const turn = async (id?: string) => {
      let text = '';
      const session = id === undefined ? {} : { session: { id, known: 0 } };
      for await (const event of agent.invoke({
        conversation: { messages: [{ role: 'user', content: 'echo' }], ...session },
      }))
        if (event.type === 'text') text += event.content;
      return text;
    };
    await turn('one');
    await turn('two');
    const [one, again] = [await turn('one'), await turn('one')];
    expect(one).toContain('"--resume","one"');
    expect(again, 'the same process').toBe(one);
  });

  it('passes a message of a person into the turn, and the next prompt after it', async () => {
    const { send, say, find, events } = await scene();
    const run = await send('slow; echo');
    await find(event => event.type === 'session');
    await say('look here');
    expect(await run.done).toBe('complete');
    const all = await events();
    expect(all.filter(event => event.type === 'user' && event.runId === run.runId)).toMatchObject([
      { content: 'look here' },
    ]);
    expect(JSON.stringify(all)).toContain('received\\":[\\"look here');
  });

  it('interrupts at once, closes its relays and stays usable', async () => {
    const { send, supervisor, relay, events, texts } = await scene();
    const run = await send('run echo never');
    const asked = await relay();
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    expect((await events()).find(event => event.type === 'relay_resolved')).toMatchObject({
      relayId: asked.id,
      outcome: 'cancelled',
    });
    const again = await send('echo');
    expect(await again.done).toBe('complete');
    expect((await texts(again.runId))[0]).not.toContain('--resume');
  });

  it('ends a program that does not settle, and resumes its session', async () => {
    const { send, supervisor, find, texts } = await scene();
    const run = await send('deaf; say working; hang');
    await find(event => event.type === 'text');
    await supervisor.abort(run.runId);
    expect(await run.done).toBe('aborted');
    const again = await send('echo');
    expect(await again.done).toBe('complete');
    expect((await texts(again.runId))[0]).toContain('"--resume","session-1"');
  });

  it('reports a program that ends in the middle of a turn', async () => {
    const { send, events } = await scene();
    const run = await send('exit');
    expect(await run.done).toBe('error');
    expect((await events()).filter(event => event.type === 'error')).toMatchObject([
      { message: 'claude exited with code 3, without saying why.', code: 'exit_code', fatal: true },
    ]);
  });

  it('resumes a run whose process ended: an open call did not run, a started one is not run again', async () => {
    const opened = await scene();
    const { send, relay, events, threadId, restart, find } = opened;
    const run = await send(`run echo once >> once.txt`);
    const asked = await relay();
    const supervisor = await restart();
    const [resumed] = await supervisor.recover();
    expect(resumed?.runId).toBe(run.runId);
    expect(await resumed?.done).toBe('complete');
    const all = await events();
    expect(all.find(event => event.type === 'relay_resolved')).toMatchObject({
      relayId: asked.id,
      outcome: 'cancelled',
      feedback: 'The call did not run: the process of the agent ended before.',
    });
    expect(all.find(event => event.type === 'warning')).toMatchObject({ code: 'resumed' });
    expect(all.find(event => event.type === 'user' && event.by === 'singletree')).toMatchObject({
      content: expect.stringContaining('These calls did not run: Bash {"command":"echo once') as string,
    });
    expect(existsSync(join(cwd, 'once.txt'))).toBe(false);
    expect(await find(event => event.type === 'harness_end')).toMatchObject({ runId: run.runId });
    expect(threadId).toBeDefined();
  });

  it('sends images, and warns about what it leaves out', async () => {
    const { send, events } = await scene();
    const image: ContentPart = { type: 'image', data: 'aGk=', mediaType: 'image/png' };
    const run = await send([{ type: 'text', text: 'say seen' }, image]);
    await run.done;
    expect(JSON.stringify(await events())).toContain('seen [image]');
    const printed = await send([{ type: 'text', text: 'x' }, image], { channel: 'print' });
    await printed.done;
    expect((await events()).find(event => event.type === 'warning')).toMatchObject({ code: 'attachment_dropped' });
  });
});
