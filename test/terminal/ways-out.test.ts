import { openSync, readdirSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { startPostgres } from '../support/private-servers.ts';
import { type ChatScene, useChats } from './chat-scene.ts';

const start = useChats();

/** Agents of a configuration: one whose program has an error, one whose run fails, and one that answers. */
const agents = `
const agent = (id, reply) => ({ id, async *invoke({ run: { runId } }) {
  yield { type: 'text', runId, id: runId + '/t', content: 'Begun.' };
  reply();
} });
export default { agents: [
  agent('careless', () => setTimeout(() => { throw new Error('a bug of the program'); })),
  agent('failing', () => { throw new Error('the agent broke'); }),
  agent('plain', () => {}),
] };`;

/** What ends the modes of the chat: pastes, focus, keys with modifiers, a hidden cursor. */
const restored = ['\u001b[?2004l', '\u001b[?1004l', '\u001b[<u', '\u001b[?25h'];
const isRestored = ({ bytes }: ChatScene) =>
  restored.every(mode => bytes.lastIndexOf(mode) > bytes.lastIndexOf('\u001b[?1004h'));
/** A line of a stack of calls. */
const stack = /^\s+at .*[:(]/m;

describe('the terminal', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)('is restored on %s, also from the transcript', async signal => {
    const scene = await start(['Hello.']);
    await scene.say('hi');
    await scene.shows('Hello.');
    scene.type('\u000f');
    await scene.shows('q close');
    process.kill(scene.pid, signal);
    await scene.ended();
    expect(scene.isAlternate).toBe(false);
    expect(isRestored(scene)).toBe(true);
    expect(scene.exitCode).toBe(signal === 'SIGTERM' ? 143 : 129);
    expect(scene.scrollback().join('\n')).toContain('Resume with: singletree chat coder --resume ');
  });

  it('takes the program with it when its window is closed, and the thread is resumed later', async () => {
    const scene = await start([{ text: 'slow '.repeat(500), delayMs: 20 }, 'Later.']);
    await scene.say('hi');
    await scene.shows('slow slow');
    const { pid } = scene;
    scene.closeWindow();
    await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000);
    scene.launch(['--continue']);
    await scene.shows('› hi');
    await scene.shows('! The terminal was closed before the end of the run. To resume it: singletree');
  });

  it('is restored when the program has an error, which is a row and not a stack', async () => {
    const scene = await start([], { args: ['careless'], config: agents });
    await scene.say('go');
    await scene.ended();
    expect(isRestored(scene)).toBe(true);
    expect(scene.exitCode).toBe(1);
    const text = scene.scrollback().join('\n');
    expect(text).toContain('✗ Something failed that should not: a bug of the program');
    expect(text).toContain('Resume with: ');
    expect(text).not.toMatch(stack);
  });

  it('is restored while the program is suspended, and drawn again after fg', async () => {
    let line: readonly string[] = [];
    const scene = await start(['Hello.'], {
      first: 'shell>',
      env: { PS1: 'shell> ' },
      through: words => {
        line = words;
        return ['bash', '--norc', '--noprofile', '-i'];
      },
    });
    scene.type(`${line.map(word => `'${word}'`).join(' ')}\r`);
    await scene.shows('Enter sends');
    scene.type('half a draft');
    await scene.shows('› half a draft');
    scene.type('\u001a');
    await scene.shows('Stopped');
    expect(isRestored(scene)).toBe(true);
    // The shell reads lines again.
    scene.type('echo $((20 + 3))\r');
    await scene.shows(/^23$/m);
    scene.type('fg\r');
    await scene.shows(screen => screen.lastIndexOf('› half a draft') > screen.lastIndexOf('shell> fg'));
    expect(isRestored(scene)).toBe(false);
    scene.type(' and more');
    await scene.shows('› half a draft and more');
    scene.type('\r');
    await scene.shows('Hello.');
    scene.type('\u0004');
    await scene.shows(/Resume with: [^]*shell>/);
    expect(isRestored(scene)).toBe(true);
  });

  it('stays with the chat when no shell could continue it', async () => {
    const scene = await start(['Hello.']);
    scene.type('draft\u001a');
    await scene.until(() => isRestored(scene));
    await scene.until(() => !isRestored(scene));
    scene.type('ed');
    await scene.shows('› drafted');
  });
});

describe('what breaks', () => {
  it('is a row when a run fails, and the chat goes on', async () => {
    const scene = await start([], { args: ['failing'], config: agents });
    await scene.say('go');
    await scene.shows('the agent broke');
    await scene.say('once more');
    await scene.until(() => scene.scrollback().join('\n').split('✗ the agent broke').length === 3);
    expect(scene.scrollback().join('\n')).not.toMatch(stack);
  });

  it('is a row when a command is killed', async () => {
    const kill = [{ toolCall: { name: 'bash', input: { command: 'kill -9 $$' } } }];
    const scene = await start([kill, 'It was killed.'], { args: ['--yolo'] });
    await scene.say('go');
    await scene.shows('It was killed.');
    expect(scene.scrollback().join('\n')).toMatch(/Ran \$ kill -9 \$\$.*\n\[exit code 137, ended by SIGKILL\]/);
  });

  it('is a row when the file of the store is damaged', async () => {
    const scene = await start([], { args: ['plain'], config: agents });
    await scene.say('go');
    await scene.shows('Begun.');
    for (const name of readdirSync(scene.home).filter(each => /\.db(?:-wal|-shm)?$/.test(each)))
      writeSync(openSync(join(scene.home, name), 'r+'), Buffer.alloc(1 << 20, 'x'), 0, 1 << 20, 0);
    await scene.say('again');
    await scene.shows(/^✗ /m);
    expect(scene.scrollback().join('\n')).not.toMatch(stack);
    scene.type('\u0003\u0003');
    await scene.ended();
    expect(isRestored(scene)).toBe(true);
  });

  it('is a row when the file of the store is removed', async () => {
    const scene = await start([], { args: ['plain'], config: agents });
    await scene.say('go');
    await scene.shows('Begun.');
    for (const name of readdirSync(scene.home).filter(each => each.startsWith('singletree.db')))
      renameSync(join(scene.home, name), join(scene.home, `moved.${name}`));
    await scene.shows('✗ The store cannot be used.');
    for (const name of readdirSync(scene.home).filter(each => each.startsWith('moved.')))
      renameSync(join(scene.home, name), join(scene.home, name.slice(6)));
    await scene.shows('· The store can be used again.');
    await scene.say('again');
    await scene.until(() => scene.scrollback().join('\n').split('Begun.').length > 2);
  });

  it('is a row when PostgreSQL is gone, and another when it is back', async () => {
    const server = await startPostgres();
    try {
      const scene = await start([], { args: ['plain', '--store', server.url], config: agents });
      await scene.say('go');
      await scene.shows('Begun.');
      await server.stop('SIGKILL');
      await scene.say('sent now');
      await scene.shows('✗ The store cannot be used.');
      await server.start();
      await scene.shows('· The store can be used again.');
      // The message was kept until it could be stored.
      await scene.until(() => scene.scrollback().join('\n').split('Begun.').length > 2);
      expect(scene.scrollback().join('\n')).not.toMatch(stack);
    } finally {
      await server.close();
    }
  }, 120_000);
});
