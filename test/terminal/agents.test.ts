import { describe, expect, it } from 'vitest';
import { useChats } from './chat-scene.ts';

const start = useChats();

describe('the agent of a chat', () => {
  it('is chosen for a new thread, and is that of the thread which is opened', async () => {
    const chat = await start([{ text: 'slow '.repeat(100), delayMs: 30 }, 'Again with coder.']);
    const act = chat.act.bind(chat);
    await act('/agent nobody\r', 'There is no agent "nobody"');
    await act('begin here\r', 'slow slow');

    // The turn of the first agent goes on in the background.
    await act('/agent dem', /› demo +Demo/);
    await act('\t', '› /agent demo');
    await act('\r', 'New thread with demo.');
    await chat.shows(/^demo · 1 in background/m);
    await act('hello\r', 'Use save_note?');
    await act('/agent\r', /› demo \(this thread\) +a scripted agent/);
    await act('\u001b', screen => !screen.includes('Enter starts a new thread'));

    // A thread is opened with its own agent.
    await act('/threads\r', 'Enter opens');
    await act('begin', '› begin here');
    await act('\r', /^Build/m);
    await chat.rest();
    await act('once more\r', 'Again with coder.');
    await act('/threads\r', 'Enter opens');
    await act('hello', '› hello');
    await act('\r', /y once[^]*^demo/m);
    // The question has the keys until it is left.
    await act('\u001b', 'Alt+A answers');
    await act('\u0003', 'Ctrl+C again quits');
    chat.type('\u0003');
    await chat.ended();
    const resume = chat.scrollback().find(line => line.startsWith('Resume with: ')) ?? '';
    expect(resume).toMatch(/singletree chat demo --resume /);
    chat.launch(['--resume', resume.split('--resume ')[1] ?? '']);
    await chat.shows(/^demo/m);
    await chat.shows('› hello');
  }, 60_000);

  it('is changed in a thread in which nothing runs, and the next one reads what was said', async () => {
    const chat = await start(['The heron is grey.', 'It was the heron.']);
    const act = chat.act.bind(chat);
    await act('which bird\r', 'The heron is grey.');
    await chat.rest();
    await act('/agent\r', 'Enter continues this thread');
    await act('demo', /› demo +a scripted agent/);
    await act('\r', 'demo continues this thread.');
    await chat.shows(/^demo/m);
    await act('hello\r', 'Use save_note?');
    await act('y', 'Done: the note is saved.');
    await chat.rest();
    await act('/agent coder\r', 'coder continues this thread.');
    await act('and now\r', 'It was the heron.');
    const sent = JSON.stringify(chat.server.requests.at(-1)?.body);
    const order = ['which bird', 'The heron is grey.', 'hello', 'save_note', 'and now'].map(text => sent.indexOf(text));
    expect(order.every(place => place >= 0)).toBe(true);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  }, 60_000);
});
