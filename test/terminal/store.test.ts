import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SqliteLog } from '../../src/log/index.ts';
import { type ChatScene, type SceneOptions, useChats } from './chat-scene.ts';

const start = useChats();
/** A line of a stack of calls. */
const stack = /^\s+at .*[:(]/m;
const isRoot = process.getuid?.() === 0;
const nobody = 65_534;

/** Nothing is read-only for root: the chat is nobody's then. It begins when the folder has a file `go`. */
const unprivileged: SceneOptions['through'] = line => {
  const asNobody = ['setpriv', `--reuid=${nobody}`, `--regid=${nobody}`, '--clear-groups'];
  const wait = 'until [ -e ../go ]; do sleep 0.05; done; exec "$@"';
  return ['/bin/sh', '-c', wait, 'sh', ...(isRoot ? asNobody : []), ...line];
};

/** Lets the chat begin, with its files in its own hands. */
function begin({ cwd, home }: ChatScene): void {
  mkdirSync(home, { recursive: true });
  const folder = dirname(cwd);
  for (const path of [folder, cwd, home, ...readdirSync(home).map(name => join(home, name))]) {
    if (isRoot) chownSync(path, nobody, nobody);
  }
  writeFileSync(join(folder, 'go'), '');
}

function storeFiles({ home }: ChatScene): string[] {
  return readdirSync(home).flatMap(name => (name.startsWith('singletree.db') ? [join(home, name)] : []));
}

/** Holds the write lock of a store in another process. Returns what releases it. */
async function lock(file: string, kind: 'immediate' | 'exclusive'): Promise<() => Promise<void>> {
  const program = `
    const database = new (require('libsql'))(${JSON.stringify(file)});
    database.exec('begin ${kind}');
    console.log('locked');
    process.stdin.resume().on('end', () => process.exit());`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

describe('a store that cannot be written', () => {
  it('ends the chat before it begins, with what to do', async () => {
    const scene = await start([], { through: unprivileged, first: '' });
    mkdirSync(scene.home, { recursive: true });
    const log = new SqliteLog(join(scene.home, 'singletree.db'));
    await log.createThread({ id: 'old', resourceId: 'default' });
    await log.close();
    for (const file of storeFiles(scene)) chmodSync(file, 0o444);
    begin(scene);
    await scene.ended();
    expect(scene.exitCode).toBe(1);
    const text = scene.scrollback().join('\n');
    expect(text).toMatch(/^singletree: .*singletree\.db cannot be written .*Make the file and its folder writable/m);
    expect(text).not.toMatch(stack);
    expect(scene.bytes).not.toContain('\u001b[?');
  });

  it('is a row when its permissions are taken away, and when they return', async () => {
    const scene = await start(['Hello.', 'Again.'], { through: unprivileged, first: '' });
    begin(scene);
    await scene.shows('Enter sends');
    await scene.say('hi');
    await scene.shows('Hello.');
    await scene.rest();
    for (const file of storeFiles(scene)) chmodSync(file, 0o444);
    await scene.shows('✗ The store cannot be used.');
    expect(scene.scrollback().join(' ').replaceAll(/ +/g, ' ')).toMatch(
      /may not be read and written any more \(EACCES\)\. Change its permissions/,
    );
    for (const file of storeFiles(scene)) chmodSync(file, 0o644);
    await scene.shows('· The store can be used again.');
    await scene.say('once more');
    await scene.shows('Again.');
    expect(scene.scrollback().join('\n')).not.toMatch(stack);
  });
});

describe('a store that another process has locked', () => {
  it('holds a message up, which is shown until it is stored', async () => {
    const scene = await start(['Hello.', 'Stored at last.']);
    await scene.say('hi');
    await scene.shows('Hello.');
    await scene.rest();
    const release = await lock(join(scene.home, 'singletree.db'), 'immediate');
    await scene.say('a message that waits');
    await scene.shows(/› a message that waits\n\S Storing the message/);
    await scene.shows('the store is locked or does not answer');
    // The keys are for the next draft meanwhile.
    await scene.act('next', '› next');
    await release();
    await scene.shows('Stored at last.');
    await scene.shows(screen => !screen.includes('Storing the message'));
    await scene.shows('› next');
  });

  it('is waited for when the chat begins, in words', async () => {
    const scene = await start(['Hello.']);
    scene.type('\u0004');
    await scene.ended();
    const release = await lock(join(scene.home, 'singletree.db'), 'exclusive');
    scene.launch([]);
    await scene.shows('singletree: waiting for the store');
    await release();
    await scene.shows('Enter sends');
  });
});
