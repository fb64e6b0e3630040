import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ModelScript } from '../../src/testing/index.ts';
import { call, useChats } from './chat-scene.ts';

const open = useChats();

/** A chat, and the newest message that its model was sent. */
async function start(script: ModelScript) {
  const scene = await open(script);
  const sent = () => JSON.stringify(scene.server.requests.at(-1)?.seen?.messages.at(-1));
  return { scene, act: scene.act.bind(scene), rest: () => scene.rest(), sent };
}

const [escape, altA, ctrlT, up] = ['\u001b', '\u001ba', '\u0014', '\u001b[A'];
const pasted = (text: string) => `\u001b[200~${text}\u001b[201~`;
/** The smallest picture. */
const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

describe('a draft', () => {
  it('has several lines in every terminal, returns from the history, and takes pastes and pictures', async () => {
    const { scene, act, rest, sent } = await start(() => 'Answered.');
    await act('one\u000atwo', /› one\n {2}two/);
    await act('\\\r', /› one\n {2}two\n/);
    await act('three', /› one\n {2}two\n {2}three/);
    await act('\r', 'Answered.');
    expect(sent()).toContain('one\\ntwo\\nthree');
    await rest();

    // Up at the first line, and a search.
    await act(up, /› one\n {2}two\n {2}three\nBuild/);
    await act('\u0003', 'Ctrl+C again quits');
    await act('second message\r', /› second message[^]*Answered\./);
    await rest();
    await act('\u0012', 'History of this folder');
    await act('one', /› one/);
    await act('\r', /› one\n {2}two\n {2}three\nBuild/);
    await act('\u0003', 'Ctrl+C again quits');

    // A long paste is one unit, and no command.
    const lines = Array.from({ length: 30 }, (_, at) => `pasted ${at}`).join('\n');
    await act(pasted(`/quit\n${lines}`), /› \[.*31 lines.*\]/);
    const count = scene.server.requests.length;
    scene.type('\r');
    await scene.until(() => scene.server.requests.length > count);
    expect(sent()).toContain('/quit\\npasted 0\\npasted 1\\n');
    await rest();

    // A picture by its path.
    writeFileSync(join(scene.cwd, 'shot.png'), picture);
    await act(pasted(join(scene.cwd, 'shot.png')), /› .*shot\.png/);
    const before = scene.server.requests.length;
    await act(' what is it?\r', 'what is it?');
    await scene.until(() => scene.server.requests.length > before);
    const pictures = () => JSON.stringify(scene.server.requests.at(-1)).split('data:image/png;base64,').length - 1;
    expect(pictures()).toBe(1);
    await rest();

    // The same one as a file of the folder.
    const next = scene.server.requests.length;
    scene.type('and @shot.png now\r');
    await scene.until(() => scene.server.requests.length > next);
    expect(pictures()).toBe(2);
  });
});

describe('what an agent does', () => {
  it('shows the progress of a call and its tasks, and leaves a question in the inbox with Escape', async () => {
    const tasks = [
      { content: 'Read the code', status: 'completed', activeForm: 'Reading the code' },
      { content: 'Write the code', status: 'in_progress', activeForm: 'Writing the code' },
    ];
    const { scene, act, rest } = await start([
      call('task_write', { tasks }),
      call('bash', { command: 'echo step one; sleep 60' }),
      call('ask_user', { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }),
      'Painted `x`.\n\n```sh\nmake all\n```',
    ]);
    await act('go\r', 'Run this command?');
    await act(altA, 'y once');
    await act('y', /◌ Running \$ echo step one; sleep 60.*\n {2}step one/);
    await scene.shows('☰ 1/2 Writing the code');
    await act(ctrlT, /☑ Read the code\n {2}▶ Write the code/);
    await act(ctrlT, screen => !screen.includes('☑ Read the code'));
    await act(escape, '■ stopped');
    await rest();

    await act('go on\r', 'Question: Which colour?');
    await act(altA, '1-9 or');
    await act(escape, screen => !screen.includes('1. Red'));
    await scene.shows('1 waiting');
    // The keys write a message again; the question is answered later.
    await act('later', '› later');
    await act('\u0015', screen => !screen.includes('› later'));
    await act('/inbox\r', '› Which colour?');
    await act('\r', '1-9 or');
    await act('2', 'Painted x.');
    await rest();
    await act('/copy code\r', 'Sent 8 characters');
    expect(scene.bytes).toContain(`\u001b]52;c;${Buffer.from('make all').toString('base64')}\u0007`);
  });
});
