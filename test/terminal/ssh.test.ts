import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { isInstalled } from '../support/services.ts';
import { type SshServer, startSshd } from '../support/private-servers.ts';
import { call, type ScenePlace, useChats } from './chat-scene.ts';

const isReady = isInstalled('sshd');
const start = useChats();
let sshd: SshServer | undefined;
beforeAll(async () => {
  if (isReady) sshd = await startSshd();
}, 30_000);
afterAll(() => sshd?.close());

/** Runs a chat on the other side, which notes its process id in the folder of the project. */
function overSsh(line: readonly string[], { cwd, env }: ScenePlace): readonly string[] {
  // The name of the terminal is passed on by ssh.
  const { TERM: _, ...variables } = env;
  const noted = ['/bin/sh', '-c', 'cd "$0" && echo $$ > chat.pid && exec "$@"', cwd, ...line];
  return sshd?.clientLine(['env', ...Object.entries(variables).map(each => each.join('=')), ...noted]) ?? [];
}

/** The lines of the programs that run in a folder. */
function programsIn(cwd: string): string[] {
  return readdirSync('/proc').flatMap(name => {
    try {
      if (!/^\d+$/.test(name) || !readlinkSync(`/proc/${name}/cwd`).startsWith(cwd)) return [];
      return [readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()];
    } catch {
      return [];
    }
  });
}

describe.skipIf(!isReady)('singletree chat over ssh', () => {
  it('streams, asks, follows the size of the window, and quits with Ctrl-C twice', async () => {
    const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of the answer`).join('\n\n');
    const scene = await start([call('bash', { command: 'echo from afar' }), { text: lines, delayMs: 5 }], {
      through: overSsh,
    });
    await scene.say('go');
    await scene.shows(/Alt\+A answers|y once/);
    await scene.act('\u001ba', 'y once');
    scene.type('y');
    await scene.until(() => scene.scrollback().join('\n').includes('line 5 of'));
    scene.resize(60, 20);
    await scene.shows('line 39 of the answer');
    await scene.rest();
    await scene.shows(screen => screen.split('\n').some(line => line === '─'.repeat(60)));
    const text = scene.scrollback().join('\n');
    for (const at of [0, 20, 39]) expect(text.split(`line ${at} of the answer`)).toHaveLength(2);
    await scene.act('\u0003', 'Ctrl+C again quits');
    scene.type('\u0003');
    await scene.ended();
    expect(scene.exitCode).toBe(0);
    expect(scene.scrollback().join('\n')).toContain('Resume with: singletree chat coder --resume ');
  }, 120_000);

  it.skipIf(process.platform !== 'linux')(
    'ends with a connection that is cut, and the thread is resumed',
    async () => {
      const scene = await start([call('bash', { command: 'sleep 321' }), 'Woken.'], {
        through: overSsh,
        args: ['--yolo'],
      });
      await scene.say('wait for me');
      await scene.shows(/sleep 321[^]*Esc stops/);
      // A call that did not start yet would be made when the run is resumed.
      await vi.waitFor(() => expect(programsIn(scene.cwd)).toContain('sleep 321'), 20_000);
      const chat = Number(readFileSync(join(scene.cwd, 'chat.pid'), 'utf8'));
      process.kill(scene.pid, 'SIGKILL');
      await scene.ended();
      // Neither the chat nor the command that it ran is left.
      await vi.waitFor(() => expect(() => process.kill(chat, 0)).toThrow('ESRCH'), 20_000);
      await vi.waitFor(() => expect(programsIn(scene.cwd)).toEqual([]), 20_000);

      scene.launch(['--continue', '--yolo']);
      await scene.shows('› wait for me');
      await scene.shows('Woken.');
      await scene.rest();
      scene.type('\u0004');
      await scene.ended();
      expect(scene.exitCode).toBe(0);
    },
    120_000,
  );
});
