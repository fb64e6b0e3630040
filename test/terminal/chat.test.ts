import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, useChats } from './chat-scene.ts';

const start = useChats();

/** Nothing clears the screen or the scrollback, or moves to a fixed place, while the chat is inline. */
// oxlint-disable-next-line no-control-regex
const clears = /\u001b\[[23]J|\u001bc|\u001b\[\d*;\d*H|\u001b\[H/;

const answer = [
  '# Result',
  '',
  'It **adds** now, see `add.js`.',
  '',
  '- first',
  '- second',
  '',
  '```ts',
  'const sum = 1 + 1; // two',
  '```',
  '',
  '| a | b |',
  '|---|---|',
  '| 1 | 2 |',
  '',
  'All done.',
].join('\n');

describe('singletree chat', () => {
  it('asks before a command without taking the keys of a draft, and prints the answer', async () => {
    let ask = () => {};
    const asked = new Promise<void>(resolve => (ask = resolve));
    const parts = call('bash', { command: 'echo made > made.txt; rm -f none; ls' });
    const scene = await start([{ parts, delayMs: 1 }, answer], { server: { delay: () => asked } });
    await scene.say('make it');
    await scene.act('yes', '› yes');
    ask();
    await scene.shows('Run this command?');
    await scene.shows('› yes');
    await scene.shows('$ echo made > made.txt; rm -f none; ls');
    expect(existsSync(join(scene.cwd, 'made.txt'))).toBe(false);
    await scene.shows('y once');
    scene.type('\r');
    await scene.shows('press y to approve this');
    expect(existsSync(join(scene.cwd, 'made.txt'))).toBe(false);
    scene.type('y');
    await scene.shows('All done.');
    await scene.shows('› yes');
    expect(readFileSync(join(scene.cwd, 'made.txt'), 'utf8')).toBe('made\n');
    const text = scene.scrollback().join('\n');
    expect(text).toContain('• Ran $ echo made > made.txt; rm -f none; ls');
    expect(text).toContain('It adds now, see add.js.');
    expect(text).toContain('• first\n• second');
    expect(text).toContain('const sum = 1 + 1; // two');
    expect(text).toContain('a │ b\n──┼──\n1 │ 2');
    expect(scene.bytes).not.toMatch(clears);
  });

  it('rejects with a reason, which the agent reads', async () => {
    const scene = await start([call('bash', { command: 'rm -r src' }), 'I will not.']);
    await scene.say('clean up');
    await scene.shows('Run this command?');
    await scene.shows('Enter does not approve it');
    scene.type('\u001ba');
    await scene.shows('y once');
    scene.type('n');
    await scene.shows('reason for the agent');
    scene.type('keep src\r');
    await scene.shows('I will not.');
    expect(JSON.stringify(scene.server.requests.at(-1))).toContain('keep src');
    expect(scene.scrollback().join('\n')).toContain('denied');
  });

  it('stops the turn with Ctrl+C, quits with the second, and resumes the thread', async () => {
    const scene = await start([call('bash', { command: 'sleep 60' }), 'Next.']);
    await scene.say('wait');
    await scene.shows('Run this command?');
    scene.type('\u001ba');
    await scene.shows('y once');
    scene.type('y');
    await scene.shows('Running $ sleep 60');
    scene.type('\u0003');
    await scene.shows('stopped');
    // Two presses in a row, however long ago the turn was stopped.
    scene.type('\u0003\u0003');
    await scene.ended();
    expect(scene.exitCode).toBe(0);
    const line = scene.scrollback().find(row => row.startsWith('Resume with: ')) ?? '';
    const threadId = line.split('--resume ')[1] ?? '';
    scene.launch(['coder', '--resume', threadId.slice(0, 20)]);
    await scene.shows('› wait');
    await scene.say('go on');
    await scene.shows('Next.');
    scene.type('\u0004');
    await scene.ended();
  });

  it('sends a queued message when the turn has ended', async () => {
    const scene = await start([{ text: 'slow '.repeat(150), delayMs: 20 }, 'The queued one is answered.']);
    await scene.say('begin');
    await scene.shows('slow slow');
    scene.type('queued task\t');
    await scene.shows('1. queued task');
    await scene.shows('The queued one is answered.');
    expect(scene.scrollback().join('\n')).toContain('› queued task');
  });

  it('goes on after kill -9 with what was sent before', async () => {
    const scene = await start([call('bash', { command: 'true' }), 'After the crash.']);
    await scene.say('crash me');
    await scene.shows('Run this command?');
    process.kill(scene.pid, 'SIGKILL');
    await scene.ended();
    scene.launch(['coder', '--continue']);
    await scene.shows('› crash me');
    await scene.shows('Run this command?');
    scene.type('\u001ba');
    await scene.shows('y once');
    scene.type('y');
    await scene.shows('After the crash.');
  });

  it.each([
    [40, 10],
    [200, 60],
  ])('fits a window of %d columns and %d rows', async (columns, rows) => {
    const scene = await start([call('bash', { command: `echo ${'long '.repeat(40)}` }), answer], { columns, rows });
    await scene.say('run it');
    await scene.shows('Run this');
    scene.type('\u001ba');
    await scene.shows('y once');
    scene.type('y');
    await scene.shows('All done.');
    expect(scene.bytes).not.toMatch(clears);
    expect(scene.scrollback().join('\n')).toContain('It adds now, see add.js.');
  });

  it('uses no colour with NO_COLOR', async () => {
    const scene = await start([answer], { env: { NO_COLOR: '1' } });
    await scene.say('hello');
    await scene.shows('All done.');
    // oxlint-disable-next-line no-control-regex
    expect(scene.bytes).not.toMatch(/\u001b\[[\d;]*3[0-7]m/);
  });

  it('lets hostile output change nothing but its row', async () => {
    const hostile = `\u001b[2J\u001b[H\u001b]0;owned\u0007\u001b[?1049h before \u202egnp.exe\u202c ${'x'.repeat(1_000_000)} after\r\n\u001bcnext 漢字 e\u0301\u0301 end`;
    const scene = await start([hostile]);
    await scene.say('attack');
    await scene.shows('end');
    expect(scene.isAlternate).toBe(false);
    expect(scene.bytes).not.toMatch(clears);
    expect(scene.bytes).not.toContain('owned\u0007');
    expect(scene.bytes).not.toContain('\u202e');
    expect(scene.scrollback().join('\n')).toContain('› attack');
    await scene.say('still here');
  });

  it('lets hostile output of a command change nothing but its row, in a small window', async () => {
    const printf = String.raw`printf '\033[2J\033[H\033]0;owned\007\xe2\x80\xaegnp.exe \xe6\xbc\xa2\xe5\xad\x97 e\xcc\x81\xcc\x81 tail\n'; head -c 1000000 /dev/zero | tr '\0' y`;
    const scene = await start([call('bash', { command: printf }), 'Survived.'], {
      columns: 40,
      rows: 10,
      args: ['--yolo'],
    });
    await scene.say('attack');
    await scene.shows('Survived.');
    expect(scene.isAlternate).toBe(false);
    expect(scene.bytes).not.toMatch(clears);
    for (const mark of ['owned\u0007', '\u202e']) expect(scene.bytes).not.toContain(mark);
    const text = scene.scrollback().join('\n');
    expect(text).toContain('漢字 e\u0301\u0301 tail');
    expect(text).toMatch(/y … \d+ characters hidden … y/);
    await scene.say('still here');
  });

  it('keeps what was printed when the window is resized while text streams', async () => {
    const lines = Array.from({ length: 200 }, (_, at) => `line ${at} of the answer`).join('\n\n');
    const scene = await start([{ text: lines, delayMs: 2 }]);
    await scene.say('stream');
    await scene.until(() => scene.scrollback().join('\n').includes('line 20 of'));
    for (const [columns, rows] of [
      [60, 20],
      [100, 30],
      [50, 15],
    ] as const)
      scene.resize(columns, rows);
    await scene.shows('line 199 of the answer');
    const text = scene.scrollback().join('\n');
    for (const at of [0, 50, 120, 199]) expect(text.split(`line ${at} of the answer`)).toHaveLength(2);
    expect(scene.bytes).not.toMatch(clears);
  });
});

describe('the keys of a configuration', () => {
  it('take the place of the default ones', async () => {
    const config = "export default { keys: { transcript: ['f2', 'ctrl+x t'], mode: false } };";
    const scene = await start(['Hello.'], { config });
    await scene.say('hi');
    await scene.shows('Hello.');
    scene.type('\u000f\u001b[Z\u001bOQ');
    await scene.shows('q close');
    scene.type('q');
    await scene.shows('Build');
    scene.type('\u0018t');
    await scene.shows('q close');
  });

  it('are refused together when they cannot work, and the terminal is left alone', async () => {
    const config = "export default { keys: { transcript: 'ctrl+k', mod: 'f2' } };";
    const scene = await start([], { config, first: '' });
    await scene.ended();
    expect(scene.exitCode).toBe(2);
    const text = scene.scrollback().join('\n');
    expect(text).toContain('Unknown action "mod". Did you mean mode or model?');
    expect(text).toContain('Ctrl+K is bound to both "transcript" and "draft.kill-line-right"');
    expect(text).toContain('Ctrl+K edits the draft, as in a shell: give "transcript" another key.');
    expect(scene.bytes).not.toContain('\u001b[?');
  });
});

describe('the files of a project', () => {
  it('are shown with the change that was made', async () => {
    const scene = await start([call('edit', { path: 'a.js', old_string: 'a - b', new_string: 'a + b' }), 'Fixed.']);
    writeFileSync(join(scene.cwd, 'a.js'), 'const f = (a, b) => a - b;\n');
    await scene.say('fix it');
    await scene.shows('Edit a.js?');
    await scene.shows('+ const f = (a, b) => a + b;');
    scene.type('\u001ba');
    await scene.shows('y once');
    scene.type('y');
    await scene.shows('Fixed.');
    expect(scene.scrollback().join('\n')).toMatch(
      /• Edited a\.js · \+1 −1.*\n- const f = .*a - b;\n\+ const f = .*a \+ b;/,
    );
  });
});
