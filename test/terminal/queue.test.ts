import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../src/agents/model/scripted/scripted-request.ts';
import { Conversations, Supervisor } from '../../src/control/index.ts';
import { SqliteLog } from '../../src/log/index.ts';
import { type ChatScene, useChats } from './chat-scene.ts';

const start = useChats();
const [escape, ctrlC, ctrlD, ctrlO] = ['\u001b', '\u0003', '\u0004', '\u000f'];
const altUp = '\u001b[1;3A';
const down = '\u001b[B';

function answer({ lastUserText: asked }: ScriptedRequest): ScriptedTurn {
  if (asked.includes('think forever')) return { text: 'endless '.repeat(5_000), delayMs: 20 };
  return asked.includes('think a while') ? { text: 'slow '.repeat(80), delayMs: 30 } : `Answer to ${asked}`;
}

/** The last user message of each request. */
const asked = ({ server }: ChatScene) =>
  server.requests.map(({ seen }) => seen?.messages.findLast(({ role }) => role === 'user')?.text ?? '');

/** Works on the newest thread of a chat as another process does. */
async function elsewhere<Result>(
  { home }: ChatScene,
  work: (conversations: Conversations, threadId: string, log: SqliteLog) => Promise<Result>,
): Promise<Result> {
  const log = new SqliteLog(join(home, 'singletree.db'));
  const control = new Supervisor({ log });
  const agents = { list: () => [], get: () => undefined };
  const [thread] = await log.listThreads();
  try {
    return await work(new Conversations({ log, control, agents }), thread?.id ?? '', log);
  } finally {
    await control.close();
    await log.close();
  }
}

const enqueueElsewhere = (scene: ChatScene, content: string) =>
  elsewhere(scene, (conversations, threadId) =>
    conversations.enqueue(threadId, { content, agent: 'coder', delivery: 'follow_up' }),
  );

describe('a message that is sent during a turn', () => {
  it('is listed until the agent reads it, and with the queue when the turn is stopped before that', async () => {
    const scene = await start(answer);
    await scene.say('think forever');
    await scene.shows('endless endless');
    await scene.act('look here\r', '↪ look here · read at the next safe point');
    await scene.act('queued\t', /↪ look here · read at the next safe point\n {2}1\. queued/);
    await scene.act(escape, /1\. look here\n {2}2\. queued/);
    await scene.act('/queue\r', '› 1. look here');
    await scene.act(ctrlO, 'Answer to look here');
    await scene.act(escape, 'Answer to queued');
    expect(asked(scene)).toEqual(['think forever', 'look here', 'queued']);
  });

  it('is the next turn when the person stops this one and nothing else waits', async () => {
    const scene = await start(answer);
    await scene.say('think forever');
    await scene.shows('endless endless');
    await scene.act('look here\r', '↪ look here');
    await scene.act(escape, 'Answer to look here');
    expect(scene.screen().join('\n')).not.toContain('↪');
  });
});

describe('a queued message', () => {
  it('is sent to the thread in which it was written, also when another one is shown', async () => {
    const scene = await start(answer);
    await scene.say('think a while');
    await scene.shows('slow slow');
    await scene.act('queued here\t', '1. queued here');
    await scene.act('/new\r', 'New thread.');
    await scene.shows(screen => screen.includes('1 in background') && !screen.includes('1. queued here'));
    await scene.say('another matter');
    await scene.shows('Answer to another matter');
    const asked = () => scene.server.requests.map(({ seen }) => JSON.stringify(seen?.messages));
    await vi.waitFor(() => expect(asked().some(text => text.includes('queued here'))).toBe(true), 20_000);
    expect(asked().filter(text => text.includes('queued here') && text.includes('another matter'))).toEqual([]);
    await scene.act('/threads while\r', /› think a while +just now/);
    await scene.act('\r', 'Answer to queued here');
  });

  it('is in the log: other processes see it, and the chat shows and sends theirs', async () => {
    const scene = await start(answer);
    await scene.say('think a while');
    await scene.shows('slow slow');
    await scene.act('mine\t', '1. mine');
    await enqueueElsewhere(scene, 'theirs');
    await scene.shows('2. theirs');
    await elsewhere(scene, async (conversations, threadId, log) => {
      const thread = (await log.getThread(threadId)) ?? expect.fail('no thread');
      const queue = await conversations.queue(thread);
      expect(queue.map(({ content }) => content)).toEqual(['mine', 'theirs']);
      await conversations.change(threadId, queue[0]?.id ?? '', { content: 'mine, changed there' });
    });
    await scene.shows('1. mine, changed there');
    await scene.shows('Answer to theirs');
    expect(asked(scene)).toEqual(['think a while', 'mine, changed there', 'theirs']);
  });

  it('survives kill -9, and is sent after the turn that is resumed', async () => {
    const scene = await start(answer);
    await scene.say('think a while');
    await scene.shows('slow slow');
    await scene.act('for later\t', '1. for later');
    process.kill(scene.pid, 'SIGKILL');
    await scene.ended();
    scene.launch(['--resume', 'last']);
    await scene.shows('1. for later');
    await scene.shows('Answer to for later');
    expect(asked(scene).filter(text => text === 'for later')).toHaveLength(1);
  });

  it('is moved, deleted, changed and sent now in the list, while nothing is sent', async () => {
    const scene = await start(answer);
    await scene.say('think forever');
    await scene.shows('endless endless');
    for (const [at, text] of ['one', 'two', 'three', 'four'].entries())
      await scene.act(`${text}\t`, `${at + 1}. ${text}`);
    await scene.act(escape, 'the queue waits');
    await scene.rest();
    await scene.act('/queue\r', 'Ctrl+O sends now');
    await scene.act(down, '› 2. two');
    await scene.act(altUp, /› 1\. two\s+2\. one/);
    await scene.act(ctrlD, screen => !screen.includes('two'));
    await enqueueElsewhere(scene, 'five');
    await scene.shows('4. five');
    await scene.act(`${down}${down}`, /› \d\. four/);
    await scene.act(ctrlO, 'Answer to four');
    expect(asked(scene)).toEqual(['think forever', 'four']);
    await scene.act(escape, 'Answer to five');
    expect(asked(scene)).toEqual(['think forever', 'four', 'one', 'three', 'five']);
  });

  it('is edited in the composer, and not sent before that is over', async () => {
    const scene = await start(answer);
    await scene.say('think forever');
    await scene.shows('endless endless');
    await scene.act('one\t', '1. one');
    await scene.act('two\t', '2. two');
    await scene.act(escape, 'the queue waits');
    await scene.rest();
    await scene.act('/queue\r', 'Ctrl+O sends now');
    await scene.act('\r', '› one');
    await scene.act(' more', '› one more');
    expect(asked(scene)).toEqual(['think forever']);
    await scene.act('\r', 'Answer to two');
    expect(asked(scene)).toEqual(['think forever', 'one more', 'two']);
    await scene.act(ctrlC, 'Ctrl+C again quits');
  });

  it('waits for a command that was queued before it', async () => {
    const scene = await start(answer);
    await scene.say('think a while');
    await scene.shows('slow slow');
    await scene.act('/rename Another title\t', '1. /rename Another title');
    await scene.act('then this\t', '2. then this');
    await scene.shows('Answer to then this');
    expect(scene.scrollback().join('\n')).toMatch(/Renamed to Another title[^]*› then this/);
  });
});
