import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ScriptedTurn } from '../../src/agents/model/scripted/script.ts';
import type { ScriptedRequest } from '../../src/agents/model/scripted/scripted-request.ts';
import { ChatScene } from './chat-scene.ts';

let scene: ChatScene | undefined;
afterEach(() => scene?.close());

const call = (name: string, input: object) => [{ toolCall: { name, input } }];

/** What the model answers: by the newest message of the person, and by how many answers have come since. */
function answer({ lastUserText: asked, step }: ScriptedRequest): ScriptedTurn {
  const turn = (...turns: ScriptedTurn[]) => turns[Math.min(step, turns.length - 1)] as ScriptedTurn;
  if (asked.includes('plan the greeting'))
    return turn(
      call('submit_plan', { title: 'Greet', plan: '1. Write hello.txt' }),
      call('bash', { command: 'echo hello > hello.txt' }),
      'The greeting is written.',
    );
  if (asked.includes('but softly')) return 'It stays soft.';
  if (asked.includes('make it loud'))
    return turn(call('bash', { command: 'echo HELLO > hello.txt' }), 'It is loud now.');
  if (asked.includes('think a while')) return { text: 'slow '.repeat(100), delayMs: 20 };
  if (asked.includes('think forever')) return { text: 'endless '.repeat(5_000), delayMs: 20 };
  if (asked.includes('which colour'))
    return turn(
      call('ask_user', { question: 'Which colour?', options: [{ label: 'Red' }, { label: 'Blue' }] }),
      'Painted.',
    );
  if (asked.includes('see @hello.txt')) return 'I see the file.';
  if (asked.includes('steered')) return 'I changed course.';
  if (asked.includes('queued')) return 'The queued one is done.';
  return `Answer to ${asked.slice(0, 60)}`;
}

const escape = '\u001b';
const altA = '\u001ba';
const shiftTab = '\u001b[Z';

describe('a working day in the chat', () => {
  it('plans, builds, steers, queues, stops, rewinds, switches, answers and resumes', async () => {
    const chat = await ChatScene.start(answer);
    scene = chat;
    const hello = () => readFileSync(join(chat.cwd, 'hello.txt'), 'utf8');
    /** Types, and waits for what the screen shows then. */
    const act = async (keys: string, expected: string | RegExp) => {
      chat.type(keys);
      await chat.shows(expected);
    };
    /** Waits for the end of the turn: a message before it would reach that turn. */
    const rest = () => chat.rest();
    /** Approves what waits: goes to it, and presses a key. */
    const approve = async (expected: string | RegExp) => {
      await chat.shows(/Alt\+A answers|y once|y approve/);
      await act(altA, /y once|y approve/);
      await act('y', expected);
    };
    await chat.shows('›');

    // A plan is made in its own mode, and approving it starts the building.
    await act(shiftTab, /^Plan/m);
    await act('plan the greeting\r', 'Approve this plan?');
    await approve('$ echo hello > hello.txt');
    await approve('The greeting is written.');
    expect(hello()).toBe('hello\n');
    await chat.shows(/^Build/m);
    await rest();
    await act('make it loud\r', '$ echo HELLO > hello.txt');
    await approve('It is loud now.');
    expect(hello()).toBe('HELLO\n');

    // A message while a turn runs reaches that turn; a queued one waits, also after a stop.
    await rest();
    await act('think a while\r', 'slow slow');
    await act('steered now\r', '↪ steered now · read at the next safe point');
    await chat.shows('I changed course.');
    await rest();
    await act('think forever\r', 'endless endless');
    await act('queued task\t', '1. queued task');
    await act(escape, 'the queue waits');
    await act('/queue\r', 'Ctrl+O sends now');
    await act(escape, 'The queued one is done.');

    // Back to before a message, with its files; the message returns to the composer.
    await rest();
    await act(escape + escape, 'Go back to before');
    await act('loud', /› make it loud +(?:just now|\d min ago)/);
    await act('\r', /± hello\.txt/);
    await act('\r', 'Went back with 1 file');
    expect(hello()).toBe('hello\n');
    await chat.shows(/^› make it loud\nBuild/m);

    // Sent again with other words it begins a branch: the model does not see what came after.
    await act(' but softly\r', 'It stays soft.');
    const seen = JSON.stringify(chat.server.requests.at(-1)?.seen?.messages);
    expect(seen).toContain('The greeting is written.');
    expect(seen).not.toContain('It is loud now.');
    expect(seen).not.toContain('think a while');
    await rest();
    await chat.shows(/^Build · \S+ · \d+% context left · \$\d/m);

    // Another model, another thread, and a question that is answered from the inbox.
    await act('/model\r', 'type to search');
    await act('gpt-5.4-mini', /› openai\/gpt-5\.4-mini/);
    await act('\r', 'Model: openai/gpt-5.4-mini');
    await act('/new\r', 'New thread.');
    await act('which colour\r', 'Question: Which colour?');
    await act('/threads\r', /which colour \(open\) +waits for you/);
    await act('greet', '› plan the greeting');
    await act('\r', /1 in background/);
    await act('/inbox\r', '› Which colour?');
    await act('\r', '1-9 or');
    await act('2', 'Painted.');

    // A line of the shell, which the model reads, and a file of the folder.
    await rest();
    await act('!cat hello.txt\r', /^ {2}hello$/m);
    await act('see @hel', /› hello\.txt/);
    await act('\t', '› see @hello.txt');
    await act('\r', 'I see the file.');
    expect(JSON.stringify(chat.server.requests.at(-1)?.seen?.messages)).toContain('$ cat hello.txt');

    // The program is killed while a question waits and a draft is written.
    await rest();
    await act('which colour again\r', 'Question: Which colour?');
    chat.type('half a thought');
    await chat.shows('› half a thought');
    const drafts = join(chat.home, 'drafts');
    await vi.waitFor(() =>
      expect(
        readdirSync(drafts).some(
          name => name.endsWith('.json') && readFileSync(join(drafts, name), 'utf8').includes('half a thought'),
        ),
      ).toBe(true),
    );
    process.kill(chat.pid, 'SIGKILL');
    await chat.ended();
    chat.launch(['--resume', 'last']);
    await chat.shows('› half a thought');
    await chat.shows('2. Blue');
    await act(altA, '1-9 or');
    await act('1', 'Painted.');
    await rest();
    await act('\u0003', 'Ctrl+C again quits');
    chat.type('\u0003');
    await chat.ended();
    expect(chat.scrollback().join('\n')).toContain('Resume with: singletree chat coder --resume ');
    expect(chat.exitCode).toBe(0);
  }, 120_000);
});
