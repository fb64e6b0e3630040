import { describe, expect, it } from 'vitest';
import { useChats } from './chat-scene.ts';

const start = useChats();
const long = Array.from({ length: 60 }, (_, at) => `paragraph ${at}`).join('\n\n');

describe('the full screen', () => {
  it('is entered and left by a command; the scrollback is as before, with what came meanwhile, and the draft stays', async () => {
    const scene = await start([long, 'The second answer.', 'The third answer.']);
    await scene.say('first');
    await scene.shows('paragraph 59');
    await scene.rest();
    const before = scene.scrollback();
    const printed = before.findLastIndex(line => line.startsWith('paragraph 59'));

    await scene.act('/fullscreen\r', /paragraph 59/);
    await scene.until(() => scene.isAlternate);
    await scene.shows(/paragraph 59[^]*\n› \n/);
    expect(scene.scrollback().slice(0, printed + 1)).toEqual(before.slice(0, printed + 1));
    await scene.say('second');
    await scene.shows('The second answer.');
    await scene.rest();

    // The rows are laid out again in a window of another size; the live area stays at its end.
    scene.type('a draft that stays');
    await scene.shows('› a draft that stays');
    for (const [columns, rows] of [
      [40, 10],
      [120, 40],
    ] as const) {
      scene.resize(columns, rows);
      await scene.shows(
        screen =>
          screen.split('\n').length === rows && /The second answer\.[^]*› a draft that stays *\n\S/.test(screen),
      );
      expect(scene.screen().at(-1)).toMatch(/^Build/);
    }
    scene.resize(80, 24);
    await scene.shows('› a draft that stays');

    // The draft is stashed by the command's own line: it is taken back afterwards.
    await scene.act('\u0013', screen => !screen.includes('› a draft'));
    await scene.act('/fullscreen\r', /The second answer\.[^]*› a draft that stays/);
    await scene.until(() => !scene.isAlternate);
    const after = scene.scrollback();
    for (const text of ['paragraph 0', 'paragraph 40', 'paragraph 59', '› second', 'The second answer.'])
      expect(after.filter(line => line === text)).toHaveLength(1);

    scene.type('\r');
    await scene.shows('The third answer.');
    expect(scene.isAlternate).toBe(false);
  });

  it('is there from the start when it is wanted, and gives its rows to the scrollback when it is left', async () => {
    const scene = await start([long], { args: ['--fullscreen'] });
    await scene.until(() => scene.isAlternate);
    await scene.say('first');
    await scene.shows('paragraph 59');
    scene.type('/fullscreen\r');
    await scene.until(() => !scene.isAlternate);
    await scene.shows('paragraph 59');
    expect(scene.scrollback().filter(line => line.startsWith('paragraph 40'))).toHaveLength(1);
  });

  it('is left when the chat ends, with how to resume', async () => {
    const scene = await start(['Hello.'], { args: ['--fullscreen'] });
    await scene.say('first');
    await scene.shows('Hello.');
    await scene.rest();
    scene.type('\u0004');
    await scene.ended();
    expect(scene.isAlternate).toBe(false);
    expect(scene.scrollback().join('\n')).toMatch(/Hello\.[^]*Resume with: /);
  });
});
