import headless from '@xterm/headless';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ModelScript } from '../src/testing/index.ts';
import { type AtTerminal, approve, CoderScene } from './support/coder-scene.ts';

const answer = '# Fixed\n\n- **add** adds\n- see `add.js`\n';
const call = (name: string, input: object) => [{ toolCall: { name, input } }];
type ModelTurn = ReturnType<Extract<ModelScript, (...given: never[]) => unknown>>;
const fixing: ModelTurn[] = [
  [{ text: 'Looking.' }, ...call('read', { path: 'add.js' })],
  call('bash', { command: 'node test.js' }),
  answer,
];

let scene: CoderScene;
let steps: ModelTurn[];
beforeEach(async () => {
  steps = fixing;
  scene = await CoderScene.open(({ step }) => steps[step] ?? '');
});
afterEach(() => scene.close());

/** Returns the cells of the final screen: the lines, and whether a text on it is bold. */
async function screenOf(terminal: AtTerminal): Promise<{ lines: string[]; isBold: (text: string) => boolean }> {
  await terminal.ended;
  const screen = new headless.Terminal({ cols: 100, rows: 200, allowProposedApi: true });
  await new Promise<void>(resolve => screen.write(terminal.printed(), resolve));
  const rows = Array.from({ length: 200 }, (_, row) => screen.buffer.active.getLine(row));
  const lines = rows.map(line => line?.translateToString(true) ?? '');
  const isBold = (text: string) => {
    const row = lines.findIndex(line => line.includes(text));
    return rows[row]?.getCell(lines[row]?.indexOf(text) ?? 0)?.isBold() !== 0;
  };
  return { lines: lines.join('\n').trimEnd().split('\n'), isBold };
}

describe('a run at a terminal', () => {
  it('has the rows of the chat: Markdown, calls, the end of the turn, and a short id', async () => {
    const terminal = scene.atTerminal('run', 'coder', 'Fix it');
    await approve(terminal, 1);
    expect(await terminal.ended).toBe(0);
    const { lines, isBold } = await screenOf(terminal);
    const text = lines.join('\n');
    expect(text).toContain('› Fix it');
    expect(text, 'what came before a question is above it').toMatch(
      /Looking\..*• Read add\.js.*y once.*✗ Ran \$ node test\.js/s,
    );
    expect(text).toContain('• add adds');
    expect(text).not.toMatch(/\*\*add\*\*|# Fixed|\$0\.0000/);
    expect(isBold('Fixed')).toBe(true);
    expect(text).toMatch(/^thread [0-9a-f]{8}-[0-9a-f]{4}$/m);
    expect(text, 'no whole id').not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(text, 'the line of what it does is gone').not.toContain('Ctrl-C stops');
  }, 60_000);

  it('is shown with the same rows afterwards, by "show" at a terminal', async () => {
    steps = ['# Fixed\n\n- **add** adds\n'];
    const ran = scene.atTerminal('run', 'coder', 'Fix it');
    expect(await ran.ended).toBe(0);
    const shown = scene.atTerminal('show', 'last');
    expect(await shown.ended).toBe(0);
    const [during, after] = [await screenOf(ran), await screenOf(shown)];
    expect(after.isBold('Fixed')).toBe(true);
    expect(after.lines).toEqual(during.lines.slice(0, after.lines.length));
    expect(after.lines.length).toBeGreaterThan(4);
  }, 60_000);

  it.each([['show', 'last'], ['doctor'], ['--help'], ['run', '--help']])(
    'breaks lines between words in a narrow window: %s %s',
    async (...args) => {
      steps = ['It adds now, as the test expects it, and nothing else of the file was changed by me.'];
      if (args[0] === 'show') await scene.run('run', 'coder', 'Fix it');
      scene.columns = 40;
      const shown = scene.atTerminal(...args);
      await shown.ended;
      // oxlint-disable-next-line no-control-regex
      const lines = shown
        .printed()
        .replaceAll(/\u001b\[[\d;?]*[a-zA-Z]/g, '')
        .split('\r\n');
      // A command stays whole, and so does a word for which no line has room.
      const isWhole = (line: string) => /^(?:Usage|Example): |\S{16,}$/.test(line);
      expect(lines.filter(line => line.length > 40 && !isWhole(line))).toEqual([]);
      expect(lines.length).toBeGreaterThan(4);
    },
    30_000,
  );

  it('waits in the inbox with the rows of the chat: whole in "inbox", and in "inbox show"', async () => {
    steps = [call('bash', { command: 'rm -rf src && git push --force' }), 'Done.'];
    const ran = scene.run('run', 'coder', 'Tidy up', '--wait');
    await expect.poll(async () => (await scene.run('inbox')).stdout, { timeout: 30_000 }).toContain('permission');
    const listed = scene.atTerminal('inbox');
    expect(await listed.ended).toBe(0);
    const { lines, isBold } = await screenOf(listed);
    expect(lines.slice(0, 3)).toEqual([
      '1. Run this command? (bash)',
      '   ! deletes src; overwrites commits of the remote',
      '   $ rm -rf src && git push --force',
    ]);
    expect(lines[3]).toMatch(/^ {3}thread [0-9a-f-]+ · \d+ s ago$/);
    expect(isBold('Run this command?')).toBe(true);
    const whole = await screenOf(scene.atTerminal('inbox', 'show', '1'));
    expect(whole.lines).toEqual([
      '? Run this command? (bash)',
      '  ! deletes src; overwrites commits of the remote',
      '  $ rm -rf src && git push --force',
      '  answers: approve, reject, revise',
    ]);
    scene.columns = 40;
    const narrow = scene.atTerminal('inbox');
    await narrow.ended;
    expect(narrow.printed(), 'rows break at spaces').toContain(
      'To read one whole: singletree inbox show\r\n1\r\nTo answer: singletree inbox approve 1\r\n(or reject, revise, answer)\r\n',
    );
    await scene.run('inbox', 'reject', '1');
    expect((await ran).stdout).toBe('Done.\n');
  }, 60_000);

  it('shows a question once, and its answer, not the call that asks it', async () => {
    steps = [
      call('ask_user', { question: 'Which one?', options: [{ label: 'red' }, { label: 'blue' }] }),
      'Blue it is.',
    ];
    const terminal = scene.atTerminal('run', 'coder', 'Choose');
    await expect.poll(terminal.printed, { timeout: 30_000 }).toContain('a number, or words >');
    terminal.type('2\r');
    expect(await terminal.ended).toBe(0);
    const text = (await screenOf(terminal)).lines.join('\n');
    expect(text).not.toContain('ask_user');
    expect(text).toMatch(
      /\? Which one\?\n {2}1\. red\n {2}2\. blue\n.*> 2\n\n\? Which one\?\n {2}→ Answered: blue\n\nBlue it is\./,
    );
  }, 60_000);
});

describe('a run in a pipe', () => {
  const rules = ['--yolo'];

  it('prints the answer: the words after the last call', async () => {
    const { status, stdout, stderr } = await scene.run('run', 'coder', 'Fix it', ...rules);
    expect([status, stdout]).toEqual([0, answer]);
    expect(stderr).toMatch(/^thread \S{36}\nrecord \S+\n$/);
  }, 60_000);

  it('prints one JSON value with --output json and with --json', async () => {
    const runs = [await scene.run('run', 'coder', 'Fix it', '--output', 'json', ...rules)];
    runs.push(await scene.run('run', 'coder', 'Again', '--json', ...rules));
    for (const { stdout } of runs)
      expect(JSON.parse(stdout)).toMatchObject({
        agent: 'coder',
        outcome: 'complete',
        answer,
        threadId: expect.any(String) as string,
        usage: { inputTokens: expect.any(Number) as number },
      });
  }, 60_000);

  it('prints every event with --output events, and what was done with --output activity', async () => {
    const types = (text: string) =>
      text.split('\n').flatMap(line => (line === '' ? [] : [(JSON.parse(line) as { type: string }).type]));
    const events = await scene.run('run', 'coder', 'Fix it', '--output', 'events', ...rules);
    expect(types(events.stdout)).toEqual(expect.arrayContaining(['user', 'tool_call', 'harness_end']));
    const activity = await scene.run('run', 'coder', 'Again', '--output', 'activity', ...rules);
    expect(types(activity.stdout)).toEqual(expect.arrayContaining(['read', 'command', 'agent']));
  }, 60_000);
});
