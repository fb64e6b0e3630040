import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../support/services.ts';
import { call, type ChatScene, useChats } from './chat-scene.ts';
import { useTmux } from './in-tmux.ts';

const isReady = isInstalled('tmux');
const start = useChats();
const tmux = useTmux();
const inTmux = { through: tmux.through, env: tmux.env };

/** A model that waits before some fragment of an answer until it is let on. */
class HeldModel {
  /** How many fragments come before it waits. */
  #left: number;
  resume: () => void = () => {};
  readonly #resumed = new Promise<void>(resolve => (this.resume = resolve));

  constructor(fragments: number) {
    this.#left = fragments;
  }

  readonly delay = async (): Promise<void> => {
    if (this.#left-- === 0) await this.#resumed;
  };
}

/** The screen without its first lines, which name the folder, and with the same times in every run. */
function screenOf(scene: ChatScene): string {
  const rows = scene.screen().map(row => row.trimEnd());
  const first = rows.findIndex(row => row.endsWith('the keys')) + 1;
  return `${rows.slice(first).join('\n').trimEnd()}\n`
    .replaceAll(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] /g, '◌ ')
    .replaceAll(/ · (?:no output for )?\d+ s(?= · |$)/gm, '')
    .replaceAll(/\b[\d.]+ (?:ms|s)\b/g, '0 s');
}

const sizes = [
  [80, 24],
  [40, 10],
  [200, 60],
] as const;

const words = Array.from({ length: 60 }, (_, at) => `word${at}`);
const answer = [
  'The second argument is subtracted from the first one, which nobody expects who has read https://example.com/docs/guide of it.',
  '',
  '- [x] a task that is done, and long enough to need a second row in a window of eighty columns',
  '- [ ] an open one',
  '',
  '1. a step with so many words that it needs a second row in a window of eighty columns or less',
  '',
  '> a quote with so many words that it needs a second row in a window of eighty columns or less',
  '',
  '| option | meaning |',
  '|---|---|',
  '| width | the number of columns of the window, or eighty columns where the terminal does not tell it |',
  '',
].join('\n');

describe.skipIf(!isReady)('the history of tmux', () => {
  it('has what was printed', async () => {
    const scene = await start([answer], inTmux);
    await scene.say('hello');
    await scene.shows('terminal does not tell it');
    expect(tmux.run('capture-pane', '-p', '-S', '-')).toContain('☐ an open one\n');
  });
});

describe.skipIf(!isReady).each(sizes)('singletree chat in tmux, %d × %d', (columns, rows) => {
  const matches = (scene: ChatScene, name: string) =>
    expect(screenOf(scene)).toMatchFileSnapshot(`screens/${name}-${columns}x${rows}.txt`);

  it('shows whole words in every column while text streams, in the transcript and in the full screen', async () => {
    const model = new HeldModel(answer.split(/\s+/).length + 30);
    const text = `${answer}\n${words.join(' ')}`;
    const scene = await start([{ text, delayMs: 1 }], { ...inTmux, columns, rows, server: { delay: model.delay } });
    await scene.say('go');
    await scene.shows('word28');
    await matches(scene, 'streaming');
    await scene.act('\u000f', 'q close');
    await matches(scene, 'transcript');
    await scene.act('q', 'Esc stops');
    model.resume();
    await scene.shows('word59');
    await scene.rest();
    await scene.say('/fullscreen');
    await scene.until(() => tmux.run('display-message', '-p', '#{alternate_on}').trim() === '1');
    await scene.shows(/word59[^]*\n› ?\n/);
    await matches(scene, 'fullscreen');
  });

  it('gives keys to the question unless a message is written, and shows what it waits for and who stopped it', async () => {
    const model = new HeldModel(0);
    const asks = { parts: call('bash', { command: 'echo made > made.txt' }), delayMs: 1 };
    const scene = await start([asks, { httpStatus: 429, retryAfterSeconds: 29 }, 'Here it is.'], {
      ...inTmux,
      columns,
      rows,
      server: { delay: model.delay },
    });
    const made = join(scene.cwd, 'made.txt');
    await scene.say('make it');
    await scene.act('half a thought', '› half a thought');
    model.resume();
    await scene.shows('y once');
    await matches(scene, 'question');
    await scene.act('x', 'Alt+A answers');
    await scene.act('y', '› half a thoughtxy');
    await matches(scene, 'writing');
    await scene.act('\u001ba', 'y once');
    expect(existsSync(made)).toBe(false);
    await scene.act('y', 'next try in');
    expect(existsSync(made)).toBe(true);
    await matches(scene, 'waiting');
    await scene.act('\u001b', 'stopped by you');
    await scene.rest();
    await scene.act('\r', 'Here it is.');
    await scene.rest();
    await matches(scene, 'stopped');
  });
});
