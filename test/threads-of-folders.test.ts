import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CoderScene } from './support/coder-scene.ts';

let scene: CoderScene;
beforeEach(async () => {
  scene = await CoderScene.open(({ lastUserText }) => `You said: ${lastUserText}`);
});
afterEach(() => scene.close());

/** Makes another folder beside the repository, and works there. */
function goElsewhere(name: string): void {
  scene.folder = join(scene.repository, '..', name);
  mkdirSync(scene.folder);
}

async function startThread(prompt: string): Promise<string> {
  const { stdout } = await scene.run('run', 'coder', prompt, '--json');
  return (JSON.parse(stdout) as { threadId: string }).threadId;
}

describe('"last"', () => {
  it('is the newest thread of this folder, also through a link to it', async () => {
    const here = await startThread('Here');
    goElsewhere('other');
    const there = await startThread('There');
    expect((await scene.run('send', 'last', 'More')).stderr).toContain(`thread ${there}\n`);
    scene.folder = scene.repository;
    expect((await scene.run('send', 'last', 'More')).stderr).toContain(`thread ${here}\n`);
    symlinkSync(scene.repository, join(scene.repository, '../link'));
    scene.folder = join(scene.repository, '../link');
    expect((await scene.run('run', 'coder', 'Again', '--resume', 'last')).stderr).toContain(`thread ${here}\n`);
    expect((await scene.run('show', 'last')).stdout).toContain('You said: Again');
  }, 60_000);

  it('names a thread of another folder and does nothing to it, unless a person says yes', async () => {
    const here = await startThread('Here');
    goElsewhere('empty');
    for (const args of [
      ['send', 'last', 'More'],
      ['run', 'coder', 'More', '--resume', 'last'],
      ['chat', '--resume', 'last'],
    ]) {
      const { status, stderr } = await scene.run(...args);
      expect([status, stderr], args[0]).toEqual([
        2,
        expect.stringContaining(`"Here" (${here}), is one of ${scene.repository}`),
      ]);
    }
    expect((await scene.run('show', here)).stdout).not.toContain('More');
    const asked = scene.atTerminal('send', 'last', 'More');
    await expect.poll(asked.printed, { timeout: 20_000 }).toContain('Continue it? [y/N]');
    asked.type('y\r');
    expect(await asked.ended).toBe(0);
    expect((await scene.run('show', here)).stdout).toContain('You said: More');
  }, 60_000);
});

describe('singletree threads', () => {
  it('shows state, agent and folder of each thread', async () => {
    const here = await startThread('Here');
    goElsewhere('other');
    await startThread('There');
    const { stdout } = await scene.run('threads');
    expect(stdout).toMatch(/idle {2}coder {2}\. +\d+ s {2}There\n/);
    expect(stdout).toMatch(new RegExp(`idle {2}coder {2}${scene.repository} +\\d+ s {2}Here\n`));
    const listed = (await scene.run('threads', '--json')).stdout.trim().split('\n');
    expect(listed.map(line => JSON.parse(line) as object)).toContainEqual(
      expect.objectContaining({ id: here, agent: 'coder', folder: scene.repository, status: 'idle' }),
    );
  }, 60_000);

  it('is the list of a chat, with the threads of this folder under it, whichever command made them', async () => {
    await startThread('Made by run');
    const chat = scene.atTerminal('chat');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('Enter sends');
    chat.type('/threads\r');
    await expect.poll(chat.printed, { timeout: 20_000 }).toContain('Made by run');
    expect(chat.printed()).toContain('this folder');
    expect(chat.printed()).not.toContain('other folders');
    process.kill(chat.pid);
    await chat.ended;
  }, 60_000);
});
